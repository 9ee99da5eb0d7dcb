"""How Sphinx builds the documentation: offline, with every warning an error."""

import gc
import sys
from pathlib import Path

from numpy.typing import ArrayLike
from sphinx.application import Sphinx
from sphinx.util.typing import stringify_annotation

import noiseless

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

gc.disable()  # the trees of all pages are kept to the end; looking through them takes half the time

project = "noiseless"
author = "the authors of noiseless"
copyright = author
release = version = noiseless.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "reference_pages", "sidebar", "mathml"]
exclude_patterns = ["_build", "_ext"]
smartquotes = False
default_role = "literal"  # docstrings put code between single backticks
maximum_signature_line_length = 90

nb_execution_mode = "off"  # notebooks show what is stored in them; the tests run them

html_theme = "furo"
html_title = f"noiseless {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

myst_enable_extensions = ["deflist", "dollarmath"]
html_math_renderer = "mathml"
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_use_ivar = True
napoleon_custom_sections = ["Inequalities", "Guarantee"]
python_use_unqualified_type_names = True

COLON = "\ue000"
"""Stands for a colon while napoleon, which takes "rows: how many" for "type: what", reads a property."""


def _before_napoleon(
    _app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Let docstrings write |[[X]]|, which reStructuredText takes for a substitution, and colons."""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith(">>>"):
            lines[number] = line.replace("|", r"\|")
    if what in ("property", "attribute") and lines:
        lines[0] = lines[0].replace(":", COLON)


def _after_napoleon(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    lines[:] = [line.replace(COLON, ":") for line in lines]


ARRAY_LIKE = stringify_annotation(ArrayLike, "smart")
"""What numpy's name stands for, spelt out over two lines."""


def _shortened(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, arguments: str | None, returned: str
) -> tuple[str, str] | None:
    if arguments is None or ARRAY_LIKE not in arguments:
        return None
    return arguments.replace(ARRAY_LIKE, "~numpy.typing.ArrayLike"), returned


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", _shortened)
    app.connect("autodoc-process-docstring", _before_napoleon, priority=400)
    app.connect("autodoc-process-docstring", _after_napoleon, priority=600)
