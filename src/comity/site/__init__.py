"""What a site says to robots: one part to each thing that its owner does with it."""
