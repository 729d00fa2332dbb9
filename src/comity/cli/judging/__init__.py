"""The robots that a command answers for, and what they may do with pages; nothing here is shown."""
