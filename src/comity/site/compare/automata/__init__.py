"""Automata over paths, which decide how the patterns of two files differ."""
