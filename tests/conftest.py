"""What every test may ask for."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.fakes.home import Home

DATA = Path(os.environ.get("MEMD_DATA", Path(__file__).parents[2] / "shared" / "data"))


settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("hunt", settings.get_profile("same"), derandomize=False, database=None)
settings.load_profile(os.environ.get("MEMD_HYPOTHESIS", "same"))
"""`same`: each run tries the same inputs, so that a red test is the change's. `MEMD_HYPOTHESIS=hunt` tries others."""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A memd of its own, started by the test, ended after it."""
    made = Home(tmp_path)
    yield made
    made.end(signal.SIGKILL)


@pytest.fixture
def data() -> Path:
    """The folder of test data; the test is skipped where it is not."""
    if not DATA.is_dir():
        pytest.skip(f"no test data at {DATA}: set MEMD_DATA")
    return DATA
