"""The parts of integrations that several of them use."""
