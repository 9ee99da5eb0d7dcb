"""How Sphinx builds the documentation: offline, with every warning an error."""

from sphinx.application import Sphinx

import noiseless

project = "noiseless"
author = "the authors of noiseless"
copyright = author
release = version = noiseless.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
smartquotes = False
default_role = "literal"  # docstrings put code between single backticks
maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"noiseless {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_use_ivar = True
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


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _before_napoleon, priority=400)
    app.connect("autodoc-process-docstring", _after_napoleon, priority=600)
