"""OBEY: the client of httpx2 that follows the rules of sites, built on `comity.politeness`."""
