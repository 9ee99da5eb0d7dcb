"""`noiseless demo`: the jobs on a small bundled table, offline."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, cast

from noiseless.cli.options import option, say
from noiseless.examples import write_examples

if TYPE_CHECKING:
    from noiseless.audits import TableAudit

HELP = """All four jobs on a small bundled table, offline, in seconds.

Example:

  noiseless demo --out demo
"""

_PUBLIC = ("age", "sex", "postcode")
_QUESTIONS = (
    "SELECT AVG(age) FROM patients",
    "SELECT sex, COUNT(*) FILTER (WHERE illness = 'flu') AS flu FROM patients GROUP BY sex",
)
_AUDITS = {
    "patients.csv": (
        "1. A table of 40 invented patients. What do age, sex and postcode give away about the illness?\n\n"
        "   $ noiseless audit patients.csv --sensitive illness --public age --public sex --public postcode"
    ),
    "patients-4-anonymous.csv": (
        "2. The same table, 4-anonymised: at least four patients look alike. Is the illness hidden?\n\n"
        "   $ noiseless audit patients-4-anonymous.csv --sensitive illness --public age --public sex \\\n"
        "       --public postcode"
    ),
}
_RELEASE = (
    "3. Publish the ages so that at least three illnesses stay possible for every patient.\n\n"
    "   $ noiseless release patients.csv --sensitive illness --public age --min-posterior 3 \\\n"
    "       -o released.csv --certificate certificate.json"
)
_VERIFY = (
    "4. Anyone who may see both tables can check the claim, with independent code.\n\n"
    "   $ noiseless verify certificate.json --original patients.csv --released released.csv"
)
_ASK = (
    "5. Publish nothing, and answer questions within a budget: true intervals, no noise, repeats are free."
    f'\n\n   $ noiseless query patients.toml "{_QUESTIONS[0]}" \\\n'
    f'       "{_QUESTIONS[1]}"'
)
_ATTACK = (
    "6. The attacker: how often is the illness disclosed, and how often guessed, at each budget?\n\n"
    "   $ noiseless attack homogeneity patients.csv --sensitive illness --public age --public sex \\\n"
    "       --public postcode --min-posterior 2 --min-posterior 3 --min-posterior 4"
)
_AGAIN = "To run these commands yourself: noiseless demo --out demo; cd demo"


def demo_command(
    out: Annotated[
        Path | None, option("Write tables, reports and records here.", "DIR", "--out", "-o")
    ] = None,
) -> None:
    """Audit the bundled patients, release their ages, answer two questions, and attack what was told."""
    with _folder(out) as folder:
        write_examples(folder)
        for name, story in _AUDITS.items():
            _audit(folder / name, story)
        _release(folder)
        _ask(folder)
        _attack(folder)
        if out is None:
            say(_AGAIN)
        else:
            written = ", ".join(sorted(path.name for path in folder.iterdir()))
            say(f"Written to {out}: {written}")


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    from noiseless.errors import OutputError

    if out is None:
        with TemporaryDirectory() as folder:
            yield Path(folder)
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(str(out), f"cannot be made a folder ({error.strerror}); choose another") from None
    yield out


def _audit(table: Path, story: str) -> None:
    from noiseless.audits import audit
    from noiseless.reports import write_audit_html
    from noiseless.reports.audit_text import audit_text

    audited = cast("TableAudit", audit(table, sensitive="illness", public=_PUBLIC))
    found = replace(audited, source=table.name)
    say(f"{story}\n\n{audit_text(found)}\n")
    write_audit_html(found, table.with_suffix(".html"))
    found.write_records(table.with_name(f"{table.stem}-records.csv"))


def _release(folder: Path) -> None:
    from noiseless.releases import release
    from noiseless.reports import write_release_html
    from noiseless.reports.release_text import release_text
    from noiseless.verification import verify

    original, released = folder / "patients.csv", folder / "released.csv"
    made = release(original, sensitive="illness", public="age", min_posterior=3)
    made.save(released, certificate=folder / "certificate.json")
    write_release_html(made, folder / "released.html", made.frontier())
    say(f"{_RELEASE}\n\n{release_text(made)}\n")
    checked = verify(folder / "certificate.json", original=original, released=released)
    say(f"{_VERIFY}\n\n{checked.verdict}\n")


def _ask(folder: Path) -> None:
    from noiseless.curator import Curator
    from noiseless.errors import RequestError

    say(_ASK + "\n")
    with TemporaryDirectory() as session:  # a ledger of its own: the demo costs the same each time
        for name in ("patients.csv", "patients.toml"):
            (Path(session) / name).write_bytes((folder / name).read_bytes())
        try:
            with Curator.open(Path(session) / "patients.toml") as curator:
                for _ in range(2):
                    say(f"{curator.ask(*_QUESTIONS)}\n")
        except RequestError as error:  # the curator's extra is not installed
            say(f"   ({error})\n")


def _attack(folder: Path) -> None:
    from noiseless.adversaries import homogeneity
    from noiseless.reports.game_plot import game_plot

    table = folder / "patients.csv"
    played = homogeneity(table, sensitive="illness", public=_PUBLIC, min_posteriors=(2, 3, 4))
    say(f"{_ATTACK}\n\n{played}\n")
    game_plot(played, folder / "attack.svg")
