"""The parts of `comity watch` that do I/O: requests, the schedule, and the delivery of reports."""
