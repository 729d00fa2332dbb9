"""A table of robots against paths: who may fetch what, and which line decides."""
