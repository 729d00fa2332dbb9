"""The sync flavour, generated from `_async` by `make generate`; only this file and `running.py` are not."""
