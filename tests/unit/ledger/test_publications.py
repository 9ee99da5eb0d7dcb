"""Published tables in the ledger: checked with those before them, recorded once, in the chain."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import noiseless as nl
from noiseless.errors import NoiselessError, RequestError
from noiseless.ledger import Ledger
from noiseless.ledger.books import OpenBooks
from noiseless.reports.table_check_text import table_check_text
from noiseless.tabulations import Publication, Told
from noiseless.tabulations.succession import Succession, TableCheck

pytest_plugins = ["databases"]

Rows = Sequence[Sequence[object]]

WITHHELD: Rows = [["region", "flu", "measles"], ["North", 31, 12], ["South", 19, "x"]]
TOTALS: Rows = [["region", "f", "m", "Total"], ["North", 22, 21, 43], ["South", 12, 11, 23]]
HALF: Rows = [["region", "f", "m", "Total"], ["North", 22, 21, 43], ["South", 12, "x", "x"]]


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'ledger.db'}"


def written(folder: Path, name: str, rows: Rows) -> Path:
    file = folder / f"{name}.csv"
    file.write_text("\n".join(",".join(map(str, row)) for row in rows))
    return file


def check(folder: Path, address: str, name: str, rows: Rows, **more: Any) -> TableCheck:  # noqa: ANN401 - options
    cols = "sex" if "f" in rows[0] else "illness"
    more = {"population": "reg", "record": True, "cols": cols, **more}
    return nl.check_tables(written(folder, name, rows), ledger=address, **more)


def kinds(address: str) -> list[str]:
    with Ledger.open(address) as ledger:
        assert ledger.verify().ok
        return [entry.kind for entry in ledger.entries()]


def test_what_is_withheld_and_was_known_is_named(tmp_path: Path, address: str) -> None:
    """No choice of further figures can help there."""
    full = [[8 if cell == "x" else cell for cell in row] for row in WITHHELD]
    assert check(tmp_path, address, "full", full).entry == 2
    found = check(tmp_path, address, "ill", WITHHELD)
    assert found.coarsening is not None
    assert (found.coarsening.withheld, found.coarsening.least) == ((), True)
    text = " ".join(table_check_text(found).split())
    assert (
        "No choice of figures to withhold is enough (proved): what is withheld must stay unknown too." in text
    )
    assert "Earlier tables alone reveal South, measles: publish that as it is." in text


def test_a_difference_of_two_tables_is_refused(tmp_path: Path, database_url: str) -> None:
    """South has 23, 19 of them with flu: 4 are left."""
    assert check(tmp_path, database_url, "ill", WITHHELD).entry == 2
    found = check(tmp_path, database_url, "sex", TOTALS)
    assert found.refused
    assert found.entry is None
    breach = found.breaches[0]
    assert breach.of == ("ill (entry 2)", ("South", "measles"))
    assert "is 4" in breach.says
    assert {table for table, _ in breach.because} == {"ill (entry 2)", "sex"}
    assert found.coarsening is not None
    assert found.coarsening.least
    assert len(found.coarsening.withheld) == 2
    assert check(tmp_path, database_url, "sex", HALF).holds
    assert kinds(database_url) == ["dataset", "publication", "publication"]


def test_the_same_tables_are_recorded_once(tmp_path: Path, address: str) -> None:
    first = check(tmp_path, address, "ill", WITHHELD)
    assert check(tmp_path, address, "ill", WITHHELD).entry == first.entry
    assert kinds(address) == ["dataset", "publication"]


def test_without_record_nothing_is_written(tmp_path: Path, address: str) -> None:
    with pytest.raises(NoiselessError, match="there is no ledger"):
        check(tmp_path, address, "ill", WITHHELD, record=False)
    check(tmp_path, address, "ill", WITHHELD)
    assert check(tmp_path, address, "sex", HALF, record=False).holds
    assert kinds(address) == ["dataset", "publication"]


def test_what_is_out_already_is_recorded_and_held_against_nobody_else(tmp_path: Path, address: str) -> None:
    check(tmp_path, address, "ill", WITHHELD)
    out = check(tmp_path, address, "sex", TOTALS, published=True)
    assert out.refused
    assert out.entry == 3
    later = check(tmp_path, address, "more", [["region", "Total"], ["North", 43], ["South", 23]], cols="sex")
    assert later.holds
    assert [breach.of[0] for breach in later.before] == ["ill (entry 2)"]


def test_of_two_tables_that_break_a_promise_together_one_is_recorded(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one is checked, and before it is recorded, the other is recorded."""
    check(tmp_path, address, "ill", WITHHELD)
    women: Rows = [["region", "f", "m"], ["South", 12, "x"]]
    men: Rows = [["region", "f", "m"], ["South", "x", 11]]
    plain, rivals = Succession.check, [men]

    def overtaken(self: Succession, **more: Any) -> TableCheck:  # noqa: ANN401 - options
        found = plain(self, **more)
        if rivals and "women" in self.new.part.table_names:
            assert check(tmp_path, address, "men", rivals.pop(), told={"absent": "withheld"}).holds
        return found

    monkeypatch.setattr(Succession, "check", overtaken)
    found = check(tmp_path, address, "women", women, told={"absent": "withheld"})
    assert found.refused
    assert found.entry is None
    assert kinds(address) == ["dataset", "publication", "publication"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_while_recording(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    plain = OpenBooks.publish

    def killed(self: OpenBooks, *given: Any, **more: Any) -> int | None:  # noqa: ANN401 - options
        if when == "after":
            plain(self, *given, **more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(OpenBooks, "publish", killed)
        with pytest.raises(KeyboardInterrupt):
            check(tmp_path, address, "ill", WITHHELD)
    assert kinds(address) == ["dataset"]
    assert check(tmp_path, address, "ill", WITHHELD).entry == 2
    assert kinds(address) == ["dataset", "publication"]


def test_killed_after_recording(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry is there, and the next try finds it."""
    plain = Ledger.settle

    def killed(self: Ledger, *given: Any) -> None:  # noqa: ANN401 - options
        plain(self, *given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "settle", killed)
        with pytest.raises(KeyboardInterrupt):
            check(tmp_path, address, "ill", WITHHELD)
    assert kinds(address) == ["dataset", "publication"]
    assert check(tmp_path, address, "ill", WITHHELD).entry == 2
    assert kinds(address) == ["dataset", "publication"]


def test_backups_exports_and_tampering(tmp_path: Path, address: str) -> None:
    check(tmp_path, address, "ill", WITHHELD, at_least=3, rules={"threshold": 5})
    with Ledger.open(address) as ledger:
        ledger.export(tmp_path / "entries.json")
        ledger.backup(tmp_path / "backup.db")
    again = f"sqlite:///{tmp_path / 'again.db'}"
    with Ledger.open(again) as ledger:
        ledger.restore(tmp_path / "entries.json")
        assert ledger.verify().ok
    assert check(tmp_path, again, "sex", TOTALS).refused
    with Ledger.open(address) as ledger:
        ledger.write(lambda session: session.run("UPDATE ledger_told SET body = replace(body, '31', '30')"))
        assert not ledger.verify().ok


def test_a_promise_that_needs_records(tmp_path: Path, address: str) -> None:
    firms: Rows = [
        ["region", "branch", "turnover"],
        ["N", "steel", 558],
        ["N", "steel", 70],
        ["N", "food", 90],
    ]
    firms = [*firms, ["S", "steel", 310], ["S", "food", 35], ["S", "food", 40]]
    records = written(tmp_path, "firms", firms)
    figures: Rows = [["region", "steel", "food", "Total"], ["N", "x", "x", 718], ["S", "x", "x", 385]]
    common = {"cols": "branch", "kind": "magnitude", "value": "turnover", "microdata": str(records)}
    first = check(tmp_path, address, "turnover", figures, rules={"p_percent": 10}, **common)
    assert first.decided
    recorded = check(
        tmp_path, address, "turnover", figures, rules={"p_percent": 10}, published=True, **common
    )
    assert recorded.entry == 2
    steel: Rows = [["region", "steel"], ["N", 628], ["S", 310]]
    wanted = {"cols": "branch", "kind": "magnitude", "quantity": "turnover"}
    with pytest.raises(RequestError, match=r"turnover .entry 2. promises .*--microdata"):
        check(tmp_path, address, "steel", steel, told={"absent": "withheld"}, **wanted)
    other = check(tmp_path, address, "steel", steel, **(wanted | {"quantity": "profit"}))
    assert any("another quantity" in note for note in other.notes)


def test_quantities_are_separate(tmp_path: Path, address: str) -> None:
    check(tmp_path, address, "ill", WITHHELD)
    found = check(tmp_path, address, "cost", TOTALS, kind="magnitude")
    assert found.holds
    assert found.earlier == ()


def test_a_new_version_of_the_data_is_not_comparable(tmp_path: Path, address: str) -> None:
    check(tmp_path, address, "ill", WITHHELD)
    with Ledger.open(address) as ledger:
        ledger.declare("reg", digest="new", budget=None, new_version=True)
    found = check(tmp_path, address, "sex", TOTALS)
    assert found.holds
    assert found.earlier == ()
    assert any("not comparable" in note for note in found.notes)


@pytest.mark.parametrize(
    ("more", "refused"),
    [("", False), (", joined = 0, left = 0", True), (", joined = [0, 2], left = 0", False)],
)
def test_populations_that_follow_each_other(tmp_path: Path, address: str, more: str, refused: bool) -> None:
    """Of the same people the year's second table is a difference; of others it is not comparable."""
    check(tmp_path, address, "ill", WITHHELD)
    written(tmp_path, "sex", TOTALS)
    spec = tmp_path / "next.toml"
    spec.write_text(
        f'population = {{id = "reg-2", after = "reg"{more}}}\n[[table]]\nfile = "sex.csv"\nrows = "region"\n'
        'cols = "sex"\n'
    )
    found = nl.check_tables(spec, ledger=address, record=True)
    assert found.refused is refused
    assert any("not comparable" in note for note in found.notes) is (not more)
    if not refused:  # a later table of the first population is held against both
        assert found.entry is not None
        late = check(tmp_path, address, "late", TOTALS)
        assert late.refused
        assert len(late.earlier) == (1 if not more else 3)


def test_a_category_that_an_earlier_table_does_not_have(tmp_path: Path, address: str) -> None:
    """The earlier one was read as complete: nobody is in the East."""
    check(tmp_path, address, "ill", WITHHELD)
    east: Rows = [["region", "flu", "measles"], ["North", 31, 12], ["South", 19, "x"], ["East", 5, 4]]
    found = check(tmp_path, address, "east", east)
    assert ("ill (entry 2), left out", ("East",)) in found.inconsistent
    withheld = {"told": {"absent": "withheld"}, "population": "other"}
    check(tmp_path, address, "ill", WITHHELD, **withheld)
    assert check(tmp_path, address, "east", east, **withheld).holds


def test_a_label_that_a_later_table_divides(tmp_path: Path, address: str) -> None:
    hierarchy = {"region": [["N1", "North"], ["N2", "North"], ["S1", "South"]]}
    check(tmp_path, address, "ill", WITHHELD)
    parts: Rows = [["region", "flu", "measles"], ["N1", 30, 10], ["N2", 1, 2], ["S1", 19, "x"]]
    found = check(tmp_path, address, "parts", parts, hierarchy=hierarchy)
    assert found.holds
    other = {"region": [["N1", "North"], ["N2", "South"], ["S1", "South"]]}
    with pytest.raises(RequestError, match="not divided as in an earlier table"):
        check(tmp_path, address, "parts2", parts, hierarchy=other)


def test_whom_the_tables_are_about_must_be_said(tmp_path: Path, address: str) -> None:
    with pytest.raises(RequestError, match="no population is named"):
        check(tmp_path, address, "ill", WITHHELD, population=None)


def test_differences_of_overlapping_groups(address: str) -> None:
    """Two golden cases: a + b + d and a + b are published, and then d, or b + d; what a was is then known."""
    bounds = [(0, 15)] * 4
    known = [(["a", "b", "d"], Told.exact(9)), (["a", "b"], Told.exact(8)), (["e"], Told.exact(4))]
    hidden = [([each], Told.withheld()) for each in ("a", "b", "d")]
    for name, more, refused in (
        ("two rows", [(["a", "b", "d"], Told.exact(9))], False),
        ("g11", [(["b", "d"], Told.exact(1))], True),
    ):
        promise: dict[str, Any] = {"ledger": address, "population": name, "record": True}
        first = Publication.of_rows("abde", bounds, [*known[:1], *known[2:], *hidden])
        assert nl.check_tables(first, **promise).holds
        second = Publication.of_rows("abde", bounds, [*known[1:2], *more])
        found = nl.check_tables(second, **promise)
        assert found.refused, name  # a + b of a + b + d leaves d
        assert ("rows (entry ", ("d",)) in {(of[0][:12], of[1]) for of in (b.of for b in found.breaches)}
        a_is_told = any(breach.of[1] == ("a",) for breach in found.breaches)
        assert a_is_told is refused
