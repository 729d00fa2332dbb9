"""Decision logs, read and filtered; each line is verified against what it names."""
