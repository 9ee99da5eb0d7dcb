"""The single file that checks certificates without this package: its own modules, joined.

It has the same code for all that follows from a certificate and from counts; around it, `plain_tables` reads
and counts with nothing but Python what an engine and arrays do here.
"""

import ast
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

_MODULES = (
    *("errors", "tables.plain_spelling", "tables.csv_grammar"),
    *("verification.quantities", "verification.risks"),
    *("verification.certificate_json", "verification.certificate"),
    *("verification.generalisation", "verification.codebook", "verification.findings"),
    *("verification.table_counts", "verification.claims"),
    *("verification.tabulation_rows", "verification.tabulation_proofs"),
    "verification.tabulation_claims",
    *("verification.plain_tables", "verification.script"),
)
"""In the order in which they stand in the file: each needs only those before it."""

_HEAD = '''"""Check certificates of releases and of published tables with nothing but Python (3.9 or later).

    python FILE CERTIFICATE.json --original ORIGINAL.csv --released RELEASED.csv [--format json]
    python FILE TABLES-CERTIFICATE.json [--format json]

The certificate says that RELEASED was made from ORIGINAL by merging values of public columns, and what that
gives away about sensitive ones. Everything is counted anew from the two tables (CSV, TSV or JSON lines); no
value of them is ever printed. Exit code 0: it holds; 1: it does not; 2: something cannot be read.

The certificate of published tables holds these tables: compare them with what was published. It says what
stays possible for every figure, shown by tables of integers that fit and proved by adding figures up.

This file stands alone. It is the checker of `noiseless verify` with plain Python around it, written out by
`noiseless verify --write-standalone`. Each check is explained in the documentation
of noiseless, on the pages "Verifying" and "The certificate".
"""

from __future__ import annotations

'''

_TAIL = """

if __name__ == "__main__":
    sys.exit(main())
"""


class _Definition(NamedTuple):
    """A statement at the top of a module: what it defines, what it uses, and its text."""

    names: frozenset[str]
    uses: frozenset[str]
    text: str


def standalone_script() -> str:
    """The text of the file: what `main` needs of the modules, directly or not, in their order."""
    parts = {module: list(_definitions(_source(module))) for module in _MODULES}
    everything = [part for of_module in parts.values() for part in of_module]
    needed, known = {"main"}, set[str]()
    while needed != known:
        known = set(needed)
        needed |= {name for part in everything if part.names & known for name in part.uses}
    sections = []
    for module, of_module in parts.items():
        texts = [part.text for part in of_module if part.names & needed]
        title = (ast.get_docstring(ast.parse(_source(module))) or "").partition("\n")[0]
        sections.append("\n\n".join([f"# --- {title}", *texts]))
    imports = sorted({line for module in _MODULES for line in _imports(_source(module), needed | {"sys"})})
    return f"{_HEAD}{chr(10).join(imports)}\n\n\n" + "\n\n\n".join(sections) + _TAIL


def _source(module: str) -> str:
    spec = find_spec(f"noiseless.{module}")
    if spec is None or spec.origin is None:
        raise ImportError(module)
    return Path(spec.origin).read_text("utf-8")


def _definitions(source: str) -> Iterator[_Definition]:
    """The statements of a module but its imports, each with the comment before it and the text after it."""
    lines, tree = source.splitlines(), ast.parse(source)
    body = [node for node in tree.body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]
    for place, node in enumerate(body):
        if isinstance(node, ast.Expr):  # belongs to what it follows
            continue
        begin = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))]) - 1
        end = node.end_lineno
        if place + 1 < len(body) and isinstance(body[place + 1], ast.Expr):
            end = body[place + 1].end_lineno
        while lines[begin - 1].startswith("#") and "ruff: noqa" not in lines[begin - 1]:
            begin -= 1
        uses = frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
        yield _Definition(frozenset(_defined(node)), uses, "\n".join(lines[begin:end]))


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))


def _imports(source: str, needed: set[str]) -> Iterator[str]:
    """The imports from the standard library that are needed, a name a line."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            yield from (f"import {alias.name}" for alias in node.names if alias.name in needed)
        elif (
            isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in sys.stdlib_module_names
        ):
            names = (alias.name for alias in node.names if alias.name in needed)
            yield from (f"from {node.module} import {name}" for name in names)
