"""Run the notebooks of the documentation and keep what they show: `python docs/tools/notebooks.py [NAME..]`.

Only what a reader sees is kept: no times, no versions, and cells are named by their place.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

FOLDER = Path(__file__).parents[1] / "notebooks"
SECONDS = 900
nodes: Any = nbformat  # it ships no types
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}


def run(notebook: Any) -> Any:  # noqa: ANN401 - nbformat's own nodes
    """What a notebook shows when it is run now, in a folder of its own: the same cells with new outputs."""
    fresh = nodes.from_dict(notebook)
    with TemporaryDirectory() as folder:
        kernel = {"transport": "ipc", "connection_file": f"{folder}/kernel.json"}
        where = {"metadata": {"path": folder}}
        client = NotebookClient(
            fresh,
            timeout=SECONDS,
            startup_timeout=SECONDS,
            resources=where,
            config=Config(KernelManager=kernel),
        )
        client.execute(env=os.environ | dict.fromkeys(("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "TMPDIR"), folder))
    return tidy(fresh)


def tidy(notebook: Any) -> Any:  # noqa: ANN401
    """Without times and versions."""
    notebook.metadata = nodes.from_dict(_METADATA)
    for place, cell in enumerate(notebook.cells, 1):
        cell.id = f"cell-{place}"
        cell.metadata = nodes.from_dict({})
    return notebook


def main(names: list[str]) -> None:
    """Run those that are named, or all."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.stem in names:
            nodes.write(run(nodes.read(path, as_version=4)), path)
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
