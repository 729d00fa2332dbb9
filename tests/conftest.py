"""Settings of all tests: hypothesis runs the same examples on every machine under CI."""

import os

from hypothesis import HealthCheck, settings

collect_ignore = ["typing"]  # for mypy, which `make lint` runs over it

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")
