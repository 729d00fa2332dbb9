"""The async flavour, which is the source; `make generate` writes `_sync` from it."""
