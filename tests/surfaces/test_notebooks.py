"""The documentation's notebooks run, and show what is stored in them; its invented table can be made anew."""

import json
import runpy
import signal
from pathlib import Path
from typing import Any

import pytest

import noiseless as nl
from noiseless import curator
from noiseless.adversaries import Game
from noiseless.rules.rule_plan import RulePlan
from web_page import Page

DOCS = Path(__file__).parents[2] / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))


def _shown(notebook: Any) -> list[list[object]]:  # noqa: ANN401 - JSON
    """What each code cell shows; of a picture that there is one, of a pandas frame its text."""
    return [
        [_told(output) for output in cell["outputs"]]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def _told(output: Any) -> object:  # noqa: ANN401
    data = output.get("data", {})
    if "image/png" in data:
        return sorted(data)
    texts = {kind: "".join(data[kind]) for kind in sorted(data)} or {"text": "".join(output.get("text", ""))}
    return {kind: text for kind, text in texts.items() if 'class="dataframe"' not in text}


def _stored(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text("utf-8"))


def test_each_job_has_a_notebook_of_one_screen_or_few() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["attack", "audit", "curate", "release"]
    for path in NOTEBOOKS:
        assert 10 <= len(_stored(path)["cells"]) <= 20
        assert path.stat().st_size < 200_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_is_stored_in_it(path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="notebooks need nbformat, nbclient and ipykernel")
    run = runpy.run_path(str(DOCS / "tools" / "notebooks.py"))["run"]
    interrupted = signal.getsignal(signal.SIGINT)
    try:
        found = run(nbformat.read(path, as_version=4))
    finally:
        signal.signal(signal.SIGINT, interrupted)  # nbclient leaves its own, where the shell had it ignored
    assert _shown(found) == _shown(_stored(path)), "mend it, or run: python docs/tools/notebooks.py"


def test_a_notebook_that_shows_something_else_is_noticed() -> None:
    stored = _stored(NOTEBOOKS[0])
    changed = json.loads(json.dumps(stored).replace("0.200", "0.300"))
    assert _shown(changed) != _shown(stored)


def test_results_show_themselves_as_tables() -> None:
    for kind in (
        *(nl.Audit, nl.Release, nl.ReleaseFrontier, nl.Verification, nl.Capacity, nl.ZeroErrorBracket),
        *(nl.Plan, RulePlan, nl.Price, nl.Comparison, nl.Conversion, Game),
        *(
            curator.Quote,
            curator.Reply,
            curator.Answer,
        ),
    ):
        assert hasattr(kind, "_repr_html_"), kind


def test_tables_are_well_formed_and_take_the_colours_of_the_page() -> None:
    shown = [told for path in NOTEBOOKS for cell in _shown(_stored(path)) for told in cell]
    tables = [told["text/html"] for told in shown if isinstance(told, dict) and "text/html" in told]
    assert len(tables) > 12
    for table in tables:
        assert not any("color" in value for _, name, value in Page(table).attributes if name == "style")


def test_the_bundled_households_are_what_their_generator_makes() -> None:
    made = runpy.run_path(str(DOCS / "tools" / "households.py"))
    assert made["OUT"].read_text("utf-8") == made["households"]()


def test_outputs_of_pages_are_found_again_around_what_is_left_out() -> None:
    merged = runpy.run_path(str(DOCS / "tools" / "outputs.py"))["merged"]
    printed = "three rows\nat 12:30, 4 of them\nsome\nmore\nleft: 2 bits\n"
    assert merged("two rows\nat ..., 4 of them\n...\nleft: 3 bits\n", printed) == (
        "three rows\nat ..., 4 of them\n...\nleft: 2 bits\n"
    )
    assert merged("two rows\n...\n", printed) == "three rows\n...\n"
    assert merged("...\nat ..., 5 of them\n...\n", printed) == "...\nat 12:30, 4 of them\n...\n"
    assert merged("two rows\n", printed) == printed
