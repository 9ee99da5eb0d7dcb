"""How Sphinx builds the documentation: offline, with every warning an error."""

from sphinx.application import Sphinx

import noiseless

project = "noiseless"
author = "the authors of noiseless"
copyright = author
release = version = noiseless.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
default_role = "literal"  # docstrings put code between single backticks

html_theme = "furo"
html_title = f"noiseless {release}"
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True


def _escape_bars(
    _app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Let docstrings write |[[X]]| for a size: reStructuredText takes |...| for a substitution."""
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", r"\|") for line in lines]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _escape_bars)
