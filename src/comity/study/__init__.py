"""What records of robots tell: the study of decision logs."""
