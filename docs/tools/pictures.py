"""Make the pictures of the documentation anew: `python docs/tools/pictures.py [KIND..]`.

KIND is `front`, `reports`, `plots`, `console`, `studio`, `games` or `gallery`; all of them if none is named.
Reports, the console and the studio need Debian's chromium and chromedriver. Some games and the gallery need
the data sets that NOISELESS_DATA names, and are left out without it. All is drawn by the commands that stand
on the pages.
"""

import base64
import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from csv import DictReader
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from PIL import Image

import noiseless as nl

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"
TABLES = ROOT / "src" / "noiseless" / "data"
BIN = Path(sys.executable).parent
WIDE, PHONE = 1200, 360
RED, BLUE = "#b3261e", "#1f5fa8"

sys.path.insert(0, str(ROOT / "tests"))  # the browser and the server of the tests
from client_servers import new_token  # noqa: E402
from console_site import Reader, open_chromium  # noqa: E402
from server_examples import Process  # noqa: E402

MEANS = "SELECT suburb, AVG(kwh) AS mean\nFROM households\nGROUP BY suburb"
MOST = "SELECT suburb, MAX(kwh) AS most\nFROM households\nGROUP BY suburb"
HOMES = "SELECT COUNT(*)\nFROM households\nWHERE heating = 'pump'"
ASKING = "h1, .builder, .question, .price, .columns"

_BLOCK = re.compile(r"(?ms)^```(?:\{code-block\} \w+\n:caption: (\S+)\n\n|console\n)(.*?)^```")
_COMMAND = re.compile(r"(?m)^\$ (.*(?:(?<=\\)\n.*)*)")
_BUDGETS = (*range(7), "'reach 3'", "'reach 6'", "'reach 12'", "'reach 24'")
_BOARD = (
    "SOURCE_DATE_EPOCH=1767225600 noiseless release patients.csv --sensitive illness --public age"
    " --min-posterior 3 -o released.csv --certificate certificate.json --summary board.html"
)
_SEARCH = (
    "```sh\nnoiseless attack binary-search patients.csv --column age --bounds 0 120"
    " --public sex --public postcode "
    + " ".join(f"--budget {budget}" for budget in _BUDGETS)
    + " --plot binary-search.svg\n```"
)
"""The page about differencing shows this plot without the command that draws it."""
_DRAWN = re.compile(r"(?ms)^```sh\n(noiseless attack [^`]*?--plot \S+)\n```")


# The front door: the picture of the README and of the site's first page


def front() -> None:
    """Forty patients before and after a release that leaves at least three illnesses possible."""
    with tables() as folder:
        rows = [
            (int(row["age"]), row["illness"])
            for row in DictReader((folder / "patients.csv").open(encoding="utf-8"))
        ]
        nl.release(
            "patients.csv", sensitive="illness", public="age", codeword="interval", min_posterior=3
        ).save("released.csv")
        cells = {
            tuple(map(int, f"{row['age']}-{row['age']}".split("-")[:2]))
            for row in DictReader((folder / "released.csv").open(encoding="utf-8"))
        }
    illnesses = sorted({illness for _, illness in rows})
    for name, panels, size in (("front", (1, 2), (11, 2.6)), ("front-phone", (2, 1), (6, 5))):
        with plt.rc_context({"font.size": 13, "svg.hashsalt": name, "axes.spines.top": False}):
            figure, (before, after) = plt.subplots(*panels, figsize=size, sharey=True, layout="constrained")
            _before(before, rows, illnesses)
            _after(after, rows, illnesses, cells)
            figure.savefig(IMAGES / f"{name}.svg", metadata={"Date": None}, facecolor="white")
            plt.close(figure)


def _before(axes: Axes, rows: list[tuple[int, str]], illnesses: list[str]) -> None:
    """The ages as they are, with the patients whose illness they give away."""
    alone = [len({other for near, other in rows if near == age}) == 1 for age, _ in rows]
    _patients(axes, rows, illnesses, alone)
    title = f"Ages give away {sum(alone)} of {len(rows)} illnesses"
    axes.set_title(title, color=RED, weight="bold")


def _after(
    axes: Axes, rows: list[tuple[int, str]], illnesses: list[str], cells: set[tuple[int, ...]]
) -> None:
    """The ages as intervals."""
    for low, high in sorted(cells):
        axes.axvspan(low - 0.4, high + 0.4, color=BLUE, alpha=0.14)
    _patients(axes, rows, illnesses, [False] * len(rows))
    least = min(len({illness for age, illness in rows if low <= age <= high}) for low, high in cells)
    title = f"As intervals, at least {least} of {len(illnesses)} stay possible"
    axes.set_title(title, color=BLUE, weight="bold")


def _patients(axes: Axes, rows: list[tuple[int, str]], illnesses: list[str], alone: list[bool]) -> None:
    """A dot for each patient, red where the age gives the illness away."""
    axes.scatter(
        [age for age, _ in rows],
        [illnesses.index(illness) for _, illness in rows],
        c=[RED if found else BLUE for found in alone],
        s=42,
        zorder=2,
    )
    axes.set_yticks(range(len(illnesses)), illnesses)
    axes.set_xlabel("age", labelpad=-4)
    axes.spines[["right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    axes.grid(axis="y", alpha=0.3)


# Reports: pages of HTML in a browser


def reports() -> None:
    """The reports of an audit and of a release, as the tutorials make them, and the sheet for the board."""
    with tutorial_folder("audit") as folder, browser(folder) as reader:
        page(reader, folder / "report.html", 1072, "report")
    with tutorial_folder("release") as folder, browser(folder) as reader:
        page(reader, folder / "report.html", 1008, "tutorial-release-report")
    with tables() as folder, browser(folder) as reader:
        shell(_BOARD)
        reader.look(900)
        reader.driver.get((folder / "board.html").as_uri())
        shoot(reader, "board", "header, main")


def page(reader: Reader, file: Path, height: int, name: str) -> None:
    """The top of a page."""
    reader.look(WIDE, height)
    reader.driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
    reader.driver.get(file.as_uri())
    shoot(reader, name)


# Plots: what commands draw


def plots() -> None:
    """What the tutorials' commands draw, and the frontier of the page about reports."""
    made = {
        "release": {"frontier.png": "tutorial-frontier"},
        "attack": {
            "search.png": "tutorial-attack-search",
            "reconstruction.png": "tutorial-attack-reconstruction",
        },
    }
    for tutorial, files in made.items():
        with tutorial_folder(tutorial) as folder:
            for file, name in files.items():
                keep((folder / file).read_bytes(), name)
    with tables() as folder:
        examples(DOCS / "release-report.md")
        shutil.copy(folder / "frontier.svg", IMAGES / "frontier.svg")


# The console: a browser in front of a server


def console() -> None:
    """Prices, answers and the ledger, for the tutorial and for the page about the console."""
    with tutorial_folder("curate", last="noiseless dataset declare") as folder:
        file = folder / "households.toml"
        with Process(file) as server, browser(folder) as reader:
            reader.url = f"{server.url}/"
            ask_and_look(reader, folder)


def ask_and_look(reader: Reader, folder: Path) -> None:
    """Go through the console as an analyst, then as the owner."""
    ledger = f"sqlite:///{folder / 'households-ledger.db'}"
    reader.begin(new_token(ledger, "households", name="paul"))
    reader.look(1000, 900)
    reader.go("d/households/ask")
    reader.type(".question textarea", MEANS)
    reader.find(".builder summary").click()
    reader.find("#run", "Run for 1 bit")
    shoot(reader, "tutorial-console-price", ASKING)
    reader.find("#run").click()
    reader.find(".answer", "Riverside")
    reader.find("#run", "Run for free")
    shoot(reader, "tutorial-console-answers", ".answer > *")
    reader.type(".question textarea", MOST)
    reader.find("#add-question").click()
    reader.find(".question:nth-child(2) textarea").send_keys(HOMES)
    reader.find("#run", "Run for 2 bits")
    shoot(reader, "console-price", ASKING)
    reader.find("#run").click()
    reader.find(".answer", "exactly")
    reader.find("#run", "Run for free")
    shoot(reader, "console-answers", ".answer > *")
    reader.begin(new_token(ledger, "households", name="olga", role="owner"))
    reader.look(1000, 900)
    reader.go("d/households/ledger")
    reader.find("table", "paul")
    shoot(reader, "tutorial-console-ledger", "h1, main nav, main table")
    reader.look(PHONE, 740, dark=True, phone=True)
    reader.find("table", "paul")
    shoot(reader, "console-phone")


def studio() -> None:
    """Limits, what they cost, and two releases side by side."""
    with tables() as folder, browser(folder) as reader:
        command = (str(BIN / "noiseless"), "studio", str(folder / "patients.csv"), "--no-browser")
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - ours
            (link,) = re.findall(r"http\S+", next(iter(process.stdout or ())))
            reader.driver.get(link)
            reader.look(1265, 1500)
            reader.find("h2", "Who is at risk")
            reader.find("button", "Protect it").click()
            reader.find("button", "Show what each limit costs").click()
            reader.find("circle.pick")
            reader.find("button", "Make the release").click()
            reader.find("button", "Keep it to compare").click()
            reader.driver.find_elements("css selector", "circle.pick")[2].click()
            reader.find(".candidate", "at least 3 values left")
            shoot(
                reader,
                "studio",
                "header, h1, .limits, .row.low, .chart, .candidate h3, .candidate .two, .candidate .hint",
            )
            process.terminate()


# Games and the papers' figures: what the pages' own commands draw, of public data sets where they name these


def games() -> None:
    """The plot of each page about a game."""
    for found in sorted(DOCS.glob("attack-*.md")):
        for command in _DRAWN.findall(
            f"{found.read_text('utf-8')}\n{_SEARCH if 'differ' in found.stem else ''}"
        ):
            if "NOISELESS_DATA" in command and "NOISELESS_DATA" not in os.environ:
                continue
            with tables() as folder:
                shell(command)
                drawn = next(folder.glob("*.svg"))
                shutil.copy(drawn, IMAGES / f"attack-{drawn.stem.removeprefix('attack-')}.svg")


def gallery() -> None:
    """The figures that the gallery's page shows: two as they are, all as thumbnails."""
    if "NOISELESS_DATA" in os.environ:
        with tables() as folder:
            shell("noiseless reproduce -o figures")
            for name in ("p1-fig6", "noise-sum"):
                shutil.copy(folder / "figures" / f"{name}.svg", IMAGES)
            thumbnails(folder / "figures")


def thumbnails(figures: Path) -> None:
    """All pictures of a gallery, small enough to stand beside each other."""
    for picture in sorted(figures.glob("*.png")):
        with Image.open(picture) as opened:
            opened.thumbnail((460, 460))
            opened.convert("RGB").quantize(32).save(IMAGES / "gallery" / picture.name, optimize=True)


# Helpers


@contextmanager
def tables() -> Iterator[Path]:
    """A folder with the bundled tables, to work in."""
    with TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        for table in TABLES.iterdir():
            shutil.copy(table, folder)
        yield folder


@contextmanager
def tutorial_folder(name: str, last: str = "") -> Iterator[Path]:
    """A folder in which a tutorial's commands were run, up to the one that begins so if that is said."""
    with tables() as folder:
        for file, text in _BLOCK.findall((DOCS / f"tutorial-{name}.md").read_text("utf-8")):
            if file:
                (folder / file).write_text(text, "utf-8")
                continue
            for command in _COMMAND.findall(text):
                shell(command)
                if last and command.startswith(last):
                    yield folder
                    return
        yield folder


def shell(command: str) -> None:
    """Run a command; those that say no with an exit code may."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(  # noqa: S602 - the documentation's own commands
        command, shell=True, check=False, stdout=subprocess.DEVNULL, env=os.environ | {"PATH": path}
    )


def examples(file: Path) -> None:
    """Run the Python examples of a page."""
    test = doctest.DocTestParser().get_doctest(file.read_text("utf-8"), {}, file.name, str(file), 0)
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=lambda _: None)


@contextmanager
def browser(folder: Path) -> Iterator[Reader]:
    """Somebody in front of a browser, in the light."""
    driver = open_chromium(folder / "profile")
    try:
        yield Reader(driver, "about:blank", folder)
    finally:
        driver.quit()


def shoot(reader: Reader, name: str, selector: str = "") -> None:
    """Keep a picture of what is seen, or of the elements that match with a margin around them."""
    options: dict[str, object] = {"captureBeyondViewport": bool(selector)}
    if selector:
        options["clip"] = {**reader.driver.execute_script(BOX, selector, 16), "scale": 1}
    found = reader.driver.execute_cdp_cmd("Page.captureScreenshot", options)
    keep(base64.b64decode(found["data"]), name)


BOX = """
const found = [...document.querySelectorAll(arguments[0])];
const boxes = found.map(e => e.getBoundingClientRect()).filter(b => b.height);
const edge = arguments[1];
const left = Math.max(0, Math.min(...boxes.map(b => b.left)) + scrollX - edge);
const top = Math.max(0, Math.min(...boxes.map(b => b.top)) + scrollY - 4);  // what stands above is left out
const right = Math.max(...boxes.map(b => b.right)) + scrollX + edge;
const bottom = Math.max(...boxes.map(b => b.bottom)) + scrollY + edge;
return {x: left, y: top, width: right - left, height: bottom - top};
"""


def keep(png: bytes, name: str) -> None:
    """Write a picture with as few bytes as 256 colours take."""
    picture = Image.open(BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    picture.save(IMAGES / f"{name}.png", optimize=True)
    sys.stdout.write(f"{name}.png\n")


KINDS = {
    "front": front,
    "reports": reports,
    "plots": plots,
    "console": console,
    "studio": studio,
    "games": games,
    "gallery": gallery,
}

if __name__ == "__main__":
    for kind in sys.argv[1:] or KINDS:
        KINDS[kind]()
