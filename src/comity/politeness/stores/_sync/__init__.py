"""The sync flavour, generated from `_async` by `make generate`; files named in tools/unasync.py are not."""
