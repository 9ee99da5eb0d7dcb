"""One page a disclosure rule, from the catalogue of rules."""

from collections.abc import Iterator

from noiseless.rules import EXAMPLES, KINDS, NumberCoarsening, Rule, rule
from reference_pages.objects import documented, exported, public_name
from reference_pages.text import code, facts, manual, page, plain, section_about, table, toctree

FOLDER = "rules"
MANUAL = "rules.md"

_SAMPLES = (0, 3, 17, 64, 250, 1234, 98765)
"""Numbers that a coarsening is shown on."""


def rules() -> Iterator[tuple[str, type[Rule], Rule]]:
    """Every kind of rule with its name and an example of it."""
    shown = {type(each): each for each in map(rule, EXAMPLES)}
    for name, kind in KINDS.items():
        yield name, kind, shown[kind]


def pages() -> dict[str, str]:
    """All pages, by their path."""
    made = {f"{FOLDER}/{name}": _page(name, kind, example) for name, kind, example in rules()}
    return {f"{FOLDER}/index": _index()} | made


def _index() -> str:
    rows = (
        (f"[{code(kind.form)}]({name}.md)", code(example.text), plain(example.statement))
        for name, kind, example in rules()
    )
    own = {kind.__name__ for kind in KINDS.values()} | {"KINDS", "EXAMPLES"}
    return page(
        "Disclosure rules",
        "Rules that practitioners use, as the deterministic mechanisms that they are. What each really"
        " gives away is counted by"
        f" [`noiseless rules`](../commands/rules.md) and explained in {manual(MANUAL, 2)}.",
        table(("written", "for example", "what it does"), rows),
        "## In Python",
        *(documented(public_name("rules", name)) for name in exported("rules") if name not in own),
        toctree(KINDS),
    )


def _page(name: str, kind: type[Rule], example: Rule) -> str:
    known = [
        ("written", code(kind.form)),
        ("for example", code(example.text)),
        ("what it does", plain(example.statement)),
        ("who uses it", plain(kind.used_by)),
    ]
    anchor = section_about(MANUAL, name)
    return page(
        code(kind.form),
        facts(known),
        _told(example),
        "## In Python",
        documented(f"noiseless.rules.{kind.__name__}", ":exclude-members: name, form, used_by"),
        "## See also\n\n"
        f"- {manual(MANUAL, 2, anchor)}: what it gives away, with examples.\n"
        "- [`noiseless plan --rule`](../commands/plan.md) and [`noiseless audit"
        " --rule`](../commands/audit.md): its price for a"
        " question, and for a table.\n- [All rules](index.md).",
    )


def _told(example: Rule) -> str:
    if not isinstance(example, NumberCoarsening):
        return ""
    rows = [("value", "told as"), *((str(value), code(example.told(value))) for value in _SAMPLES)]
    return f"Under {code(example.text)}:\n\n" + table(rows[0], rows[1:])
