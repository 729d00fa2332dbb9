"""A folder of fragments and a plan for `comity.build`."""

import pytest

import comity


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a function that writes the files of a site and builds it."""
    monkeypatch.chdir(tmp_path)

    def build(files, **options):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return comity.build(**options)

    return build
