"""Results draw themselves, and have pages and frames."""

from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

import noiseless as nl
from noiseless.display import FrameMixin, PageMixin, PlotMixin, arrow_rows
from noiseless.reports import audit_html, render_frontier, render_release

PEOPLE = pa.table(
    {
        "age": [31, 35, 52, 47, 31, 60],
        "ill": ["flu", "cold", "flu", "asthma", "cold", "flu"],
        "sex": [*"fmfmfm"],
    }
)
AUDIT = nl.audit(PEOPLE, sensitive="ill", public=["age", "sex"])
RELEASE = nl.release(PEOPLE, sensitive="ill", public="age", min_posterior=2)
COMPARISON = nl.compare("mean", n=100, bounds=(0, 1), bits=1)
GAME = nl.attack.homogeneity(PEOPLE, sensitive="ill", public="age", min_posteriors=[1, 2])
UNPROTECTED = nl.attack.homogeneity(PEOPLE, sensitive="ill", public="age")
PICTURES: dict[str, PlotMixin] = {
    "audit": AUDIT,
    "release": RELEASE,
    "frontier": RELEASE.frontier(),
    "comparison": COMPARISON,
    "game": GAME,
    "unprotected": UNPROTECTED,
}


VERIFICATION = nl.verify(RELEASE, original=PEOPLE, released=RELEASE.frame)
PROTECTION = nl.protect_tables(
    pd.crosstab(PEOPLE["sex"].to_pylist(), PEOPLE["ill"].to_pylist()), rules={"threshold": 1}
)
APPLIED = nl.apply_release(PEOPLE, RELEASE)
FIELDS: dict[str, tuple[object, ...]] = {
    "release": (
        RELEASE,
        *("cells", "leakage", "maximin", "resolution", "distortion", "min_posterior", "min_rows"),
        *("method", "optimal", "gap", "scope"),
    ),
    "applied": (APPLIED, "leakage", "maximin", "min_posterior", "rows"),
    "audit": (AUDIT, "rows", "entropy", "leakage", "information", "maximin", "min_posterior", "witnesses"),
    "verification": (VERIFICATION, "holds", "checks"),
}


@pytest.mark.parametrize("name", FIELDS)
def test_results_have_the_fields_of_their_json(name: str) -> None:
    result, *fields = FIELDS[name]
    shown = result.to_dict()  # type: ignore[attr-defined]
    for field in map(str, fields):
        value = getattr(result, field)
        assert field in shown
        if isinstance(value, nl.Bits):
            assert shown[field] in (value.upper, value.lower)


def test_a_frontier_is_its_points() -> None:
    frontier = RELEASE.frontier()
    assert list(frontier) == list(frontier.points)
    assert (frontier[0], frontier[-1]) == (frontier.points[0], frontier.points[-1])


@pytest.mark.parametrize("result", [VERIFICATION, PROTECTION], ids=["verification", "protection"])
def test_what_is_checked_and_what_is_protected_have_pages_and_frames(
    result: nl.Verification | nl.TableProtection, tmp_path: Path
) -> None:
    out = tmp_path / "page.html"
    assert result.to_html(out) == out.read_text("utf-8")
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    shown = result.to_dict()
    assert len(result.to_pandas()) == len(shown.get("checks", shown.get("outcomes", ())))


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    before = mpl.get_backend()
    mpl.use("agg")
    yield
    plt.close("all")
    mpl.use(before)


@pytest.mark.parametrize("name", PICTURES)
def test_a_result_draws_itself_on_new_axes_or_on_given_ones(name: str) -> None:
    result = PICTURES[name]
    drawn = result.plot()
    assert isinstance(drawn, Axes)
    assert drawn.has_data()
    given = plt.figure().subplots()
    assert result.plot(given) is given
    assert given.has_data()


def test_the_bars_of_an_audit_are_its_rows() -> None:
    heads = [int(bar.get_width()) for bar in AUDIT.plot().patches]  # type: ignore[attr-defined]
    assert sum(heads) == AUDIT.rows
    assert heads[0] == AUDIT.homogeneous_persons


def test_pages_are_those_of_the_command(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert AUDIT.to_html(out) == out.read_text("utf-8") == audit_html(AUDIT)
    assert AUDIT.to_html(reveal=True) == audit_html(AUDIT, reveal=True)
    assert RELEASE.to_html() == render_release(RELEASE)
    assert RELEASE.frontier().to_html() == render_frontier(RELEASE.frontier())


def test_a_page_with_values_is_for_its_owner_alone(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    AUDIT.to_html(out, reveal=True)
    assert out.stat().st_mode & 0o077 == 0


FRAMES: dict[str, tuple[FrameMixin, int]] = {
    "audit": (AUDIT, 6),
    "release": (RELEASE, 6),
    "frontier": (RELEASE.frontier(), len(RELEASE.frontier())),
    "comparison": (COMPARISON, len(COMPARISON.mechanisms)),
    "game": (GAME, len(GAME.results)),
    "policy": (nl.Policy(limits={"min_posterior": 2, "leakage": 1}).check(AUDIT), 2),
    "rules": (nl.price_rules(["round:5", "min-cell:11"]), 2),
    "verification": (nl.verify(RELEASE.certificate, original=PEOPLE, released=RELEASE.frame), 23),
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_frame_has_a_row_for_each_part(name: str) -> None:
    result, rows = FRAMES[name]
    assert len(result.to_pandas()) == len(result.to_polars()) == result.to_arrow().num_rows == rows


def test_the_frame_of_an_audit_is_the_risk_of_each_row() -> None:
    risks = AUDIT.to_pandas()
    assert list(risks["row"]) == [1, 2, 3, 4, 5, 6]
    assert risks["posterior_size"].min() == AUDIT.min_posterior
    assert (risks["posterior_size"] == 1).sum() == AUDIT.homogeneous_persons


def test_infinity_among_numbers_is_a_number() -> None:
    frame = arrow_rows([{"budget": "inf", "of": {"a": 1}}, {"budget": 2, "of": None}]).to_pandas()
    assert frame["budget"].tolist() == [float("inf"), 2.0]
    assert isinstance(frame, pd.DataFrame)


def test_what_has_neither_picture_nor_page_is_refused() -> None:
    class Blank(PlotMixin, PageMixin):
        """Nothing to see."""

    with pytest.raises(TypeError, match="no picture"):
        Blank().plot()
    with pytest.raises(TypeError, match="no page"):
        Blank().to_html()
