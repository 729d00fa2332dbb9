"""Finite automata over URL paths, which compare the rules of two files."""
