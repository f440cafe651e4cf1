"""How hypothesis runs here: no deadlines on shared machines, and the same examples every time in CI."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "local",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")
