"""Lists of URLs: their formats, and the answers of robots.txt files about them."""
