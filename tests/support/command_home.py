"""A cache and a configuration of its own for a test of commands that fetch."""

from platforms import user_folders

from comity.cli import contact
from comity.desk import site_client


def own_home(folder, monkeypatch, address="bot@example.com"):
    """Use another cache and configuration, with a stored contact unless it is None, and no delay.

    The working directory is `folder`.
    """
    monkeypatch.setenv("COMITY_STORE", str(folder / "store.sqlite3"))
    for name, value in user_folders(folder / "config").items():
        monkeypatch.setenv(name, value)
    if address is not None:
        contact.store(address)
    monkeypatch.setattr(site_client, "FLOOR", 0.0)
    monkeypatch.chdir(folder)
