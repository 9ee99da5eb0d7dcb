"""What all tests share: repeatable random examples, who runs what, and where real data is."""

import gc
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

import noiseless
from left_behind import changes, restore_logging, shared
from soaking import TIMES, soaking

settings.register_profile(
    "default", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("check", settings.get_profile("default"), max_examples=10)
settings.register_profile("soak", settings.get_profile("default"), derandomize=False, max_examples=25 * TIMES)
settings.load_profile("default")

gc.disable()  # until all is collected: what is made by then stays

LONG = re.compile(
    r"_killed|_processes|surfaces/test_(?:console|studio|notebooks|documentation|reproduce)|spark|postgres"
    r"|oracle/test_(?:protection|releases|lattice)|integrations"
)
"""What takes longest comes first, so that no process waits for another at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a soak, properties that say how many examples they have get many times more too."""
    items.sort(key=lambda item: LONG.search(item.nodeid) is None)
    if not soaking():
        return
    usual = settings().max_examples
    for test in {item.function for item in items if isinstance(item, pytest.Function)}:
        used: Any = getattr(test, "_hypothesis_internal_use_settings", settings.default)
        if is_hypothesis_test(test) and used.max_examples != usual:
            test._hypothesis_internal_use_settings = settings(used, max_examples=used.max_examples * TIMES)


def pytest_collection_finish() -> None:
    """What was imported and collected stays: the collector need not look at it again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish() -> None:
    """Libraries complain of what is still there when the process ends."""
    gc.unfreeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say how to have the same order again."""
    if isinstance(seed := config.option.randomly_seed, int):
        terminalreporter.write_line(f"the order was that of --randomly-seed={seed}")


SHARING = re.compile(
    r"(?i:spark)"  # one Java for all
    r"|test_merging|test_contiguous"  # loops are compiled once
    r"|unit/gallery"  # figures are made once
    r"|surfaces/test_(?=console|studio)"  # one browser
    r"|surfaces/test_(?:client|server_(?!processes|workers))"
)
"""Files with the same match share something that takes long to make, and are run by one process."""


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """A file after the other, so that what its tests share is made once; some files together.

    With pytest 9.2 the marks of xdist's own have no effect (pytest-xdist#1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        shared = SHARING.search(nodeid)
        return nodeid.partition("::")[0] if shared is None else shared[0].lower()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:  # noqa: ANN401 - xdist's own
    """Who runs what when several processes run the tests."""
    config.option.loadscopereorder = False  # as they stand: what takes longest comes first
    return Scheduling(config, log)


@pytest.fixture(autouse=True, scope="session")
def _every_public_name_was_used() -> None:
    """Public classes check their arguments once they were used; all tests see them as users do then."""
    for name in noiseless.__all__:
        getattr(noiseless, name)


@pytest.fixture(autouse=True)
def _leaves_nothing_behind() -> Iterator[None]:
    """What all tests of a process share is as it was: no test depends on those that ran before it."""
    before = shared()
    yield
    left = changes(before, shared())
    assert not left, f"the test changed {', '.join(left)} and did not change it back"


@pytest.fixture
def own_logging() -> Iterator[None]:
    """The test may set up logging as a server does."""
    before = shared()
    yield
    restore_logging(before)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets."""
    folder = os.environ.get("NOISELESS_DATA")
    if not folder:
        pytest.skip("NOISELESS_DATA does not name the folder of real data sets")
    return Path(folder)
