"""The meaning of a change of a live robots.txt: pure functions of the earlier answer and the new one."""
