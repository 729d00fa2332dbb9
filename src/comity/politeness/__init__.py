"""Polite requests to other people's servers: rules, delays, leases and the decision log, for every client."""
