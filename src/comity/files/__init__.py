"""Files: private, locked and replaced ones, and those of a site owner."""
