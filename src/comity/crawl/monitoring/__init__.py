"""The activity of a run, for the live display and for metrics."""
