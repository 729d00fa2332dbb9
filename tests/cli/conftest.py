"""A cache and a configuration of its own for a test of commands that fetch."""

import pytest
from platforms import user_folders

from comity.cli import site_client
from comity.politeness.settings import PolitenessSettings


@pytest.fixture
def alone(tmp_path, monkeypatch):
    """Use another cache and configuration for each test, and no delay."""
    monkeypatch.setenv("COMITY_STORE", str(tmp_path / "store.sqlite3"))
    for name, value in user_folders(tmp_path / "config").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(PolitenessSettings.of.__func__.__kwdefaults__, "delay", 0.0)
    monkeypatch.setattr(site_client, "FLOOR", 0.0)
    monkeypatch.chdir(tmp_path)
