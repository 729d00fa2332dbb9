"""Who sent a request: the lists of addresses that operators publish, and forward-confirmed reverse DNS."""
