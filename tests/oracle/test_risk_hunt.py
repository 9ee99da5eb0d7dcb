"""Cases in which statements about risks were once false: each as small as it can be, and counted here."""

import copy
import json
import math
from collections.abc import Callable
from datetime import datetime, time, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import noiseless as nl
from noiseless.errors import RequestError
from noiseless.reports.release_text import release_text
from noiseless.search.entropy_limit import has_entropy
from noiseless.verification import script
from noiseless.verification.risks import reaches_entropy

Json = dict[str, Any]


def judged(certificate: Json, folder: Path) -> bool:
    """Whether a certificate holds, by both checkers."""
    tables = [str(folder / "original.csv"), str(folder / "released.csv")]
    (folder / "certificate.json").write_text(json.dumps(certificate), "utf-8")
    found = nl.verify(certificate, original=tables[0], released=tables[1]).holds
    alone = script.main([str(folder / "certificate.json"), "--original", tables[0], "--released", tables[1]])
    assert found == (alone == 0)
    return found


def certified(folder: Path, original: str, **asked: Any) -> Json:  # noqa: ANN401 - options of a release
    """The certificate of a release of a text, beside whose tables it is checked."""
    (folder / "original.csv").write_text(original, "utf-8")
    done = nl.release(folder / "original.csv", **asked)
    done.save(folder / "released.csv", certificate=folder / "certificate.json")
    return copy.deepcopy(done.certificate.to_dict())


@pytest.mark.parametrize(
    "values",
    [
        pa.array([True, False, None]),
        pa.array([time(1), time(2, 30), time(23)]),
        pa.array([1.0, float("inf"), -float("inf")]),
        pa.array([3_000_000, 0, 1], pa.int32()).cast(pa.date32()),
    ],
    ids=["truth values", "times", "infinite", "far days"],
)
def test_values_that_texts_do_not_put_on_a_line_are_at_distance_one(values: pa.Array) -> None:
    """Their ranks cannot be read off a certificate's texts, so a certificate that claims them fails."""
    places = [0, 1, 1, 2, 0, 2]
    table = pa.table({"x": [0, 0, 1, 1, 2, 2], "s": values.take(pa.array(places))})
    done = nl.release(table, sensitive="s", public="x", t_closeness="1/3", keep_order=True)
    groups: dict[str, list[int]] = {}
    for word, place in zip(done.table["x"].to_pylist(), places, strict=True):
        groups.setdefault(word, []).append(place)
    excess = [
        sum(max(Fraction(held.count(s), len(held)) - Fraction(1, 3), Fraction(0)) for s in range(3))
        for held in groups.values()
    ]
    assert done.risks["t_closeness"] == max(excess) <= Fraction(1, 3)
    assert nl.verify(done.certificate, original=table, released=done.table).holds
    audited = nl.audit(table.set_column(0, "x", done.table["x"]), sensitive="s", public="x")
    assert (audited.t_closeness, audited.width) == (done.risks["t_closeness"], None)


def test_the_same_truth_values_are_as_close_in_a_frame_as_in_a_file(tmp_path: Path) -> None:
    """One moved them by ranks, a missing one at the end of these, and the other did not."""
    table = pa.table({"x": [0, 0, 1, 1, 2, 2], "s": [True, False, True, None, False, None]})
    pyarrow.csv.write_csv(table, tmp_path / "table.csv")
    frame, file = (nl.audit(each, sensitive="s", public="x") for each in (table, tmp_path / "table.csv"))
    assert frame.t_closeness == file.t_closeness == Fraction(1, 3)


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S.5"])
def test_secret_moments_that_a_file_writes_have_a_width(form: str, tmp_path: Path) -> None:
    """They had none, though a column of a database that holds the same did; ranks are those of time."""
    moments = [
        datetime.fromisoformat("2024-02-28 13:45") + timedelta(minutes=m) for m in (0, 30, 5, 2880, 1, 31)
    ]
    lines = [f"{place // 2},{moment:{form}}" for place, moment in enumerate(moments)]
    (tmp_path / "moments.csv").write_text("\n".join(["x,s", *lines, ""]), "utf-8")
    typed = pa.table({"x": [0, 0, 1, 1, 2, 2], "s": moments})
    found, known = (nl.audit(t, sensitive="s", public="x") for t in (tmp_path / "moments.csv", typed))
    assert found.width == known.width == Fraction(30, 24 * 60)
    assert found.t_closeness == known.t_closeness
    asked: Json = {"sensitive": "s", "public": "x", "width": 1, "t_closeness": "1/2"}
    certificate = certified(tmp_path, (tmp_path / "moments.csv").read_text("utf-8"), **asked)
    assert judged(certificate, tmp_path)
    certificate["claim"]["risks"]["width"] = "3"
    assert not judged(certificate, tmp_path)


@pytest.mark.parametrize("decided", [reaches_entropy, has_entropy])
def test_entropies_of_millions_of_rows_are_compared_without_their_powers(
    decided: Callable[[list[int], Fraction], bool],
) -> None:
    """n^n of a billion rows has thirty billion binary digits: what ties is compared prime by prime."""
    many, near = 10**9, Fraction(1, 10**60)
    assert decided([many, many], Fraction(2))
    assert not decided([many, many], 2 + near)
    assert decided([many, many], 2 - near)
    assert decided([4 * many, *[many] * 4], Fraction(4))
    assert not decided([4 * many, *[many] * 4], 4 + near)
    counts = [1, 2, 3, 4, 4, 8]
    for least in (Fraction(a, b) for a in range(1, 13) for b in (1, 2, 3)):
        powers = math.prod(c**c for c in counts)
        assert decided(counts, least) == (least ** sum(counts) * powers <= sum(counts) ** sum(counts))


def test_a_mixture_of_numbers_and_days_has_no_width(tmp_path: Path) -> None:
    """A day is no number: 5 and the first of January do not lie any number of days apart."""
    rows = "x,s\n1,5\n1,2020-01-01\n2,5\n2,2020-01-01\n"
    forged = certified(tmp_path, rows, sensitive="s", public="x", largest_belief="1/2")
    assert judged(forged, tmp_path)
    found = nl.verify(
        {**forged, "claim": {**forged["claim"], "risks": {"width": "1"}}, "target": {"width": "1"}},
        original=tmp_path / "original.csv",
        released=tmp_path / "released.csv",
    )
    assert (found["width"].holds, found["width"].found, found["target"].holds) == (False, None, False)
    forged["options"]["ordered"] = True
    forged["claim"]["risks"], forged["target"] = {"t_closeness": "0"}, {"t_closeness": "0"}
    assert not judged(forged, tmp_path)


def test_what_is_claimed_of_a_key_is_claimed_by_its_names(tmp_path: Path) -> None:
    """A claim that hides in the words of another is none."""
    rows = "x,z,s\na,c,1\na,d,2\nb,c,5\nb,d,9\na,c,7\nb,d,3\n"
    levels = {"x": {"a": ["*"], "b": ["*"]}, "z": {"c": ["*"], "d": ["*"]}}
    asked: Json = {"sensitive": "s", "public": ["x", "z"], "key": ["x", "z"], "recoding": "full-domain"}
    forged = certified(tmp_path, rows, hierarchy=levels, largest_belief="1/2", width=2, **asked)
    assert judged(forged, tmp_path)
    claimed = forged["claim"]["keys"][0]["risks"]
    claimed["largest_belief"] += f", width {claimed.pop('width')}"
    assert not judged(forged, tmp_path)


def test_the_board_learns_whom_limits_by_keys_are_about() -> None:
    """Someone who knows both columns is sure of a value; "largest belief 0.34, kept" is not all."""
    table = pa.table({"x": list("aabbab"), "z": list("cdcdcd"), "s": [1, 2, 5, 9, 7, 3]})
    levels = {"x": {"a": ["*"], "b": ["*"]}, "z": {"c": ["*"], "d": ["*"]}}
    asked: Json = {"sensitive": "s", "public": ["x", "z"], "recoding": "full-domain", "hierarchy": levels}
    done = nl.release(table, key=["x", "z"], largest_belief="1/2", **asked)
    assert done.risks["largest_belief"] <= Fraction(1, 2) < done.odds.largest_belief
    assert "someone who knows one of these and no more: x; z" in done.summary_html()
    whole = nl.release(table, largest_belief="1/2", **asked)
    assert "and no more" not in whole.summary_html()


def test_a_verification_says_whom_limits_by_keys_are_about(tmp_path: Path) -> None:
    """ "target holds: largest_belief 1/2" is not all: who knows both columns is sure of a value."""
    rows = "x,z,s\na,c,1\na,d,2\nb,c,5\nb,d,9\na,c,7\nb,d,3\n"
    levels = {"x": {"a": ["*"], "b": ["*"]}, "z": {"c": ["*"], "d": ["*"]}}
    asked: Json = {"sensitive": "s", "public": ["x", "z"], "recoding": "full-domain", "hierarchy": levels}
    made = certified(tmp_path, rows, key=["x", "z"], largest_belief="1/2", **asked)
    found = nl.verify(made, original=tmp_path / "original.csv", released=tmp_path / "released.csv")
    assert found.holds
    assert "someone who knows one of these, and no more: x; z" in found.text
    assert found["target"].found == "largest_belief 1/2 for each key"


def test_a_verification_says_what_it_takes_from_the_certificate(tmp_path: Path) -> None:
    """Who is a person, and which values are of one class, is the certificate's word: a reader must see it."""
    (tmp_path / "classes.csv").write_text("flu;a;*\ncold;a;*\nhiv;b;*\n", "utf-8")
    rows = "x,who,s\n1,u,flu\n1,v,hiv\n2,u,cold\n2,w,hiv\n"
    asked: Json = {"min_classes": 2, "classes": tmp_path / "classes.csv", "min_rows": 2, "unit": "who"}
    made = certified(tmp_path, rows, sensitive="s", public="x", **asked)
    found = nl.verify(made, original=tmp_path / "original.csv", released=tmp_path / "released.csv")
    assert (found.about["unit"], found.about["classes"]) == (["who"], 2)
    assert found.subject["persons by"] == "who"
    assert found.subject["classes"] == "2, as the certificate declares them"


def test_the_board_is_sent_to_a_checker_only_with_a_certificate(tmp_path: Path) -> None:
    table = pa.table({"x": [1, 1, 2, 2], "s": ["a", "b", "a", "b"]})
    done = nl.release(table, sensitive="s", public="x", min_posterior=2)
    released, certificate = tmp_path / "released.csv", tmp_path / "certificate.json"
    done.save(released, certificate=certificate)
    assert "can check the promise" not in done.summary_html()
    assert "can check the promise" not in done.summary_html(written=[released])
    assert "can check the promise" in done.summary_html(written=[released, certificate])


def test_the_page_of_an_audit_says_which_key_a_limit_is_held_against() -> None:
    """Two rows "k-anonymity" with 2 and 1 were told apart by nothing."""
    table = pa.table({"x": list("aabb"), "z": list("cddd"), "s": [1, 2, 5, 9]})
    audited = nl.audit(table, sensitive="s", public=["x", "z"], key=["x", "z"])
    page = audited.to_html(policy=nl.Policy(limits={"k_anonymity": 2}).check(audited))
    section = page.partition('id="policy"')[2].partition("</section>")[0]
    assert section.index("s by x") < section.index("holds") < section.index("s by z")
    known = page.partition('id="keys"')[2].partition("</section>")[0]
    assert all(f">{name}<" in known for name in "xz")


def test_releases_say_how_often_a_blind_guess_is_right() -> None:
    """A best guess of 60 % means little until one knows that a blind one is right 60 % of the time."""
    table = pa.table({"x": range(10), "s": list("aaaaaabbcc")})
    done = nl.release(table, sensitive="s", public="x", min_posterior=3)
    (line,) = (line for line in release_text(done).splitlines() if "blind guess right" in line)
    assert line.split() == ["blind", "guess", "right", "60.00", "%", "60.00", "%"]
    assert "A blind guess is right 60.00 % of the time" in done.to_html()


def test_spellings_of_one_value_are_of_one_class(tmp_path: Path) -> None:
    """Both count as one value, so it would be of two classes: no certificate of that holds."""
    table = pa.table({"x": [1, 1, 2, 2], "s": ["flu", "Flu", "cold", "hiv"]})
    asked: Json = {"sensitive": "s", "public": "x", "min_classes": 2}
    file = tmp_path / "classes.csv"
    file.write_text("flu;a;*\nFlu;b;*\ncold;a;*\nhiv;b;*\n", "utf-8")
    with pytest.raises(RequestError, match="spellings of one value into two classes"):
        nl.release(table, classes=file, **asked)
    file.write_text("flu;a;*\nFlu;a;*\ncold;a;*\nhiv;b;*\n", "utf-8")
    done = nl.release(table, classes=file, **asked)
    assert done.table["x"].to_pylist() == ["1-2"] * 4
    assert nl.verify(done.certificate, original=table, released=done.table).holds
