"""The compiled engine; a module of tests that imports it is skipped if it was not built."""

import pytest

compiled = pytest.importorskip(
    "comity.protocol.robotstxt.engine._compiled",
    reason="needs the compiled engine: apt-get install gcc python3-dev",
    exc_type=ImportError,
)
