"""A damaged certificate is refused in one line, or fails the check of its format; nothing ever breaks."""

import copy
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certificate_examples import make, random_case
from noiseless.errors import NoiselessError
from noiseless.verification import SCHEMA, verify
from noiseless.verification.certificate import parse_certificate
from noiseless.verification.certificate_json import FormatError
from noiseless.verification.verifier import read_certificate
from oracle import certificate_oracle

SHAPE = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
TRUE = [make(random_case(seed)).certificate for seed in range(12)]
TABLE = pa.table({"a": [1, 2]})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - any JSON
    """Every place in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def replaced(certificate: Any, path: tuple[Any, ...], value: object) -> Any:  # noqa: ANN401 - any JSON
    found = copy.deepcopy(certificate)
    at = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return found


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA.read_text("utf-8")))


@pytest.mark.parametrize("number", range(len(TRUE)))
def test_certificates_conform_to_the_schema(number: int) -> None:
    SHAPE.validate(TRUE[number])
    parse_certificate(TRUE[number])


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.just(10**30),
    st.floats(allow_nan=False),
    st.text(max_size=3),
    st.sampled_from(["1/0", "sqrt(-1)", "log2(0)", "\ud800", "1e999", "x" * 3]),
    st.just([]),
    st.just({}),
    st.just([[None]]),
    st.just({"a": [1]}),
)


@given(st.data())
@settings(max_examples=150)
def test_any_part_may_be_junk(data: st.DataObject) -> None:
    """Junk in any place: the package and the single file refuse the same, and all that the schema refuses."""
    certificate = data.draw(st.sampled_from(TRUE))
    path = data.draw(
        st.sampled_from([p for p in places(certificate) if p and p[0] not in ("format", "version")])
    )
    damaged = replaced(certificate, path, data.draw(JUNK))
    package, alone = _problem(damaged), _problem_alone(damaged)
    assert package == alone
    assert len((package or "").splitlines()) <= 1
    if not SHAPE.is_valid(json.loads(json.dumps(damaged))):
        assert package is not None


def test_infinity_is_no_number_of_a_certificate() -> None:
    damaged = next(one for one in copy.deepcopy(TRUE) if one["options"]["spans"])
    next(iter(damaged["options"]["spans"].values()))[0] = float("inf")
    assert _problem(damaged) == "options.spans is not a number" == _problem_alone(damaged)


def _problem(certificate: Any) -> str | None:  # noqa: ANN401 - any JSON
    try:
        parse_certificate(certificate)
    except FormatError as error:
        return str(error)
    return None


def _problem_alone(certificate: Any) -> str | None:  # noqa: ANN401 - any JSON
    try:
        certificate_oracle.Certificate(json.loads(json.dumps(certificate), parse_float=Decimal))
    except certificate_oracle.Malformed as error:
        return str(error)
    return None


@pytest.mark.parametrize("key", [p for p in places(TRUE[0]) if p and isinstance(p[-1], str) and len(p) < 3])
def test_any_key_may_be_missing(key: tuple[str, ...]) -> None:
    damaged = copy.deepcopy(TRUE[0])
    at: Any = damaged
    for part in key[:-1]:
        at = at[part]
    del at[key[-1]]
    if key[0] in ("format", "version"):
        with pytest.raises(NoiselessError):
            verify(damaged, original=TABLE, released=TABLE)
    elif _problem(damaged) is None:
        assert key[0] in ("options", "stated")  # the rest of these are free
    else:
        found = verify(damaged, original=TABLE, released=TABLE)
        assert [check.name for check in found.checks] == ["format"]
        assert not found.holds


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"columns": {"sensitive": [], "public": ["a"], "given": [], "keep": []}}, "no sensitive"),
        ({"columns": {"sensitive": ["a"], "public": ["b"], "given": [], "keep": ["a"]}}, "twice"),
        ({"partition": []}, "no cell"),
        ({"surprise": 1}, "unknown name"),
        ({"created": 5}, "created is not a text"),
        ({"tool": {"name": "x"}}, "tool has no version"),
        ({"original": {"rows": 1, "digest": "sha256:xyz"}}, "digest"),
        ({"original": {"rows": True, "digest": "sha256:" + "0" * 64}}, "count"),
        ({"target": {"min_posterior": 2.0}}, "count"),
        ({"target": {"max_leakage": "lots"}}, "number of its kind"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], problem: str) -> None:
    assert problem in str(_problem(TRUE[0] | change))


def test_a_stated_part_may_not_be_nested_without_end() -> None:
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    damaged = TRUE[0] | {"stated": {"proof": deep}}
    assert _problem(damaged) == "stated is nested too deeply" == _problem_alone(damaged)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not well-formed JSON"),
        ("{", "not well-formed JSON"),
        ("[1]", "one JSON object"),
        ('{"a": 1}', "format"),
        ('{"format": "noiseless-certificate", "version": 3}', "another version"),
        ('{"format": "noiseless-certificate", "version": true}', "another version"),
        ('{"format": "noiseless-certificate", "version": 1.0}', "another version"),
        ('{"format": "noiseless-certificate", "format": "noiseless-certificate"}', "stands twice"),
        ('{"format": NaN}', "not well-formed JSON"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a":' * 200_000, "nested too deeply"),
        ("9" * 10_000, "not well-formed JSON"),
    ],
)
def test_what_is_no_certificate_is_refused_in_one_line(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(text, "utf-8")
    with pytest.raises(NoiselessError, match=problem) as told:
        read_certificate(path)
    assert len(str(told.value).splitlines()) == 1
    with pytest.raises(certificate_oracle.Unusable, match=problem):
        certificate_oracle.read_certificate(str(path))


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoiselessError, match="no such file"):
        read_certificate(tmp_path / "absent.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NoiselessError, match="not UTF-8"):
        read_certificate(tmp_path / "binary.json")
    with pytest.raises(NoiselessError, match="cannot be opened"):
        read_certificate(tmp_path)
    with pytest.raises(NoiselessError, match="a JSON file or a mapping"):
        read_certificate(5)
