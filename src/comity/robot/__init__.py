"""OBEY: fetch, store, pace. What a robot does between reading the rules and sending a request."""
