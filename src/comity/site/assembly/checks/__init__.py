"""Checks of the directives and of the result that compare the statements of several owners."""
