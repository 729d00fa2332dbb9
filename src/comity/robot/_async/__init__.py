"""The async flavour, which is the source: `_sync` is generated from it by `make generate`."""
