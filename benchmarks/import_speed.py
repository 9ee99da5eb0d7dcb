"""How long `import noiseless` takes in a fresh interpreter."""

from collections.abc import Iterator

from measure import best_of, in_a_process
from page import Form, Part, Section, Table

INTRODUCTION = """\
Parts are loaded when they are first used. The limit is an interpreter that imports what every program has
loaded anyway (`typing` and `importlib`)."""


def seconds(what: str, repeats: int) -> float:
    """The shortest time of an import, each in a fresh interpreter."""
    clock = "time.perf_counter()"
    code = f"import time, json; t = {clock}; import {what}; print(json.dumps({clock} - t))"
    found: list[float] = []
    best_of(repeats, lambda: found.append(float(in_a_process(code))))
    return min(found)


def measured(form: Form) -> Iterator[Part]:
    """The import alone, and with what an audit needs."""
    repeats = 2 if form.small else 5
    names = {"import noiseless": "noiseless", "limit": "typing, importlib", "with numpy": "noiseless, numpy"}
    yield Table([{"what": name, "s": seconds(what, repeats)} for name, what in names.items()])


SECTION = Section("import", "Import", INTRODUCTION, measured)
