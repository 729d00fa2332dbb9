"""Building one robots.txt from a plan and the fragments of several owners."""
