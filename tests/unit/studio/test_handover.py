"""What must be true before a curator is started from the studio."""

from pathlib import Path

import pytest

from noiseless.errors import NoiselessError, RequestError
from noiseless.studio.handover import Handover


@pytest.mark.parametrize(
    ("name", "confirmed", "said"),
    [
        ("curator.toml", False, "check every bound"),
        ("curator.txt", True, ".toml"),
        ("private/curator.toml", True, "a folder of your own"),
        ("nowhere/curator.toml", True, "cannot be written"),
        ("other.toml", True, "is there already"),
    ],
)
def test_what_is_refused_leaves_nothing(tmp_path: Path, name: str, confirmed: bool, said: str) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "other.toml").write_text("mine")
    with pytest.raises(RequestError, match=said):
        Handover(tmp_path / "private").start("[dataset]\n", tmp_path / name, confirmed=confirmed)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["other.toml", "private"]
    assert (tmp_path / "other.toml").read_text() == "mine"


def test_a_file_that_is_none_is_not_left_behind(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    with pytest.raises(NoiselessError):
        Handover(tmp_path / "private").start("[dataset]\n", tmp_path / "c.toml", confirmed=True)
    assert not (tmp_path / "c.toml").exists()
