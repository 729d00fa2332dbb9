"""The facts about pages that a job records: their heads, times, preferences and links."""
