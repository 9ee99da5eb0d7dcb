"""What keeps tests from depending on each other: the state that is watched, and ports that are kept."""

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from left_behind import changes, restore_logging, shared
from waiting import free_port, wait_until

LOGGER = logging.getLogger("noiseless.neighbours")


def handle(*_: object) -> None:
    """A signal."""


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda patch: patch.setenv("NOISELESS_NEIGHBOUR", "1"), "$NOISELESS_NEIGHBOUR"),
        (lambda patch: patch.delenv("PATH"), "$PATH"),
        (lambda patch: patch.chdir("/"), "the working directory"),
        (lambda patch: patch.syspath_prepend("/nowhere"), "sys.path"),
        (lambda patch: patch.setattr(LOGGER, "propagate", False), "the logger noiseless.neighbours"),
        (
            lambda patch: patch.setattr(LOGGER, "handlers", [logging.NullHandler()]),
            "the logger noiseless.neighbours",
        ),
        (lambda patch: patch.setattr(logging.root, "level", logging.DEBUG), "the logger root"),
    ],
)
def test_what_a_test_leaves_is_noticed(
    change: Callable[[pytest.MonkeyPatch], None], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shared()
    change(monkeypatch)
    assert changes(before, shared()) == [named]
    monkeypatch.undo()
    assert changes(before, shared()) == []


def test_a_signal_that_is_handled_otherwise_is_noticed() -> None:
    before = shared()
    kept = signal.signal(signal.SIGALRM, handle)
    try:
        assert changes(before, shared()) == ["the handler of SIGALRM"]
    finally:
        signal.signal(signal.SIGALRM, kept)


def test_a_logger_that_is_new_is_no_change_and_others_are_restored(tmp_path: Path) -> None:
    before = shared()
    logging.getLogger(f"noiseless.{tmp_path.name}").setLevel(logging.DEBUG)
    assert changes(before, shared()) == []
    LOGGER.setLevel(logging.DEBUG)
    LOGGER.propagate = False
    restore_logging(before)
    assert changes(before, shared()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a port cannot be kept")
def test_a_port_is_kept_and_a_server_gets_it_again_and_again() -> None:
    port = free_port()
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
        with socket.create_server(("127.0.0.1", port)):
            socket.create_connection(("127.0.0.1", port)).close()
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(("127.0.0.1", port))


def test_waiting_ends_with_what_was_waited_for() -> None:
    seen = iter([0, 0, os.getpid()])
    assert wait_until(lambda: next(seen), "something") == os.getpid()
