"""A browser for tests; a module that wants it says `pytest_plugins = ["browsers"]`.

All tests of a process share one Chromium and one axe-core, which take long to start and to fetch.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console_axe import fetch_axe
from console_site import open_chromium


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A driver; tests are skipped where there is none."""
    pytest.importorskip("selenium", reason="driving a browser needs selenium")
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed (Debian: apt-get install chromium chromium-driver)")
    driver = open_chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


@pytest.fixture(scope="session")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core."""
    return fetch_axe(tmp_path_factory.mktemp("axe"))


@pytest.fixture(scope="session")
def pictures() -> Path | None:
    """Where pictures are kept, if somebody wants any: NOISELESS_SCREENSHOTS."""
    wanted = os.environ.get("NOISELESS_SCREENSHOTS")
    if not wanted:
        return None
    Path(wanted).mkdir(parents=True, exist_ok=True)
    return Path(wanted)
