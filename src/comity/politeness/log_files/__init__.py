"""Files of the decision log: chained lines, and the robots.txt files that they name."""
