"""The studio without a browser: who may talk to it, work that can be stopped, projects, commands."""

import asyncio
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import chdir
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from noiseless.cli.main import run
from noiseless.domain import ColumnSummary
from noiseless.errors import RequestError
from postgres import PostgresServer

pytest.importorskip("starlette", reason="the studio needs the extra `server`")

from noiseless.studio.app import Studio, create_app
from noiseless.studio.guard import COOKIE, Guard
from noiseless.studio.jobs import Desk
from noiseless.studio.manual import PAGES, manual_page
from noiseless.studio.project import Project
from noiseless.studio.roles import propose_roles, rules_for
from noiseless.studio.worker import Job, Worker

pytest_plugins = ["databases"]

ROWS = [("34", "f", "flu"), ("34", "f", "cold"), ("51", "m", "flu"), ("52", "m", "hiv"), ("60", "m", "cold")]
ROLES = {"age": "public", "sex": "public", "illness": "sensitive"}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age,sex,illness\n" + "".join(f"{','.join(row)}\n" for row in ROWS))
    return path


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    (tmp_path / "work").mkdir()
    found = Worker(str(tmp_path / "work"))
    yield found
    found.close()


def ended(job: Job) -> Job:
    while job.state in ("waiting", "running"):
        job.wait(job.version, 60)
    return job


def done(desk: Desk, name: str, **options: Any) -> Any:  # noqa: ANN401 - JSON
    return desk.do(name, options, lambda *_: None)


# Who may talk to it


def request(
    guard: Guard, path: str, *, method: str = "GET", body: str = "", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    sent: list[dict[str, Any]] = []
    given = {"host": "127.0.0.1:8901", **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in given.items()],
    }

    unread = [{"type": "http.request", "body": body.encode(), "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not unread:
            await asyncio.Event().wait()  # nobody hangs up
        return unread.pop()

    async def send(message: Any) -> None:  # noqa: ANN401 - ASGI
        sent.append(message)

    asyncio.run(guard(scope, receive, send))
    found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], found, b"".join(part.get("body", b"") for part in sent[1:])


@pytest.fixture
def guard(tmp_path: Path) -> Iterator[Guard]:
    studio = Studio(tmp_path, Project())
    yield create_app(studio, 8901)
    studio.worker.close()


def test_the_link_works_once_and_gives_a_cookie_that_scripts_do_not_see(guard: Guard) -> None:
    assert request(guard, "/")[0] == 403
    assert request(guard, "/start/guess")[0] == 403
    link = guard.link
    status, headers, _ = request(guard, link)
    assert status == 303
    assert "httponly" in headers["set-cookie"].lower()
    assert "samesite=strict" in headers["set-cookie"].lower()
    cookie = headers["set-cookie"].split(";")[0]
    assert request(guard, link)[0] == 403
    assert json.loads(request(guard, link)[2])["error"].startswith("this link was used; start")
    told = request(guard, "/", accept="text/html,*/*")
    assert (told[0], told[1]["content-type"]) == (403, "text/html; charset=utf-8")
    assert (
        b"<p>Open the link that `noiseless studio` printed (it works once), or start it again.</p>" in told[2]
    )
    status, headers, page = request(guard, "/", cookie=cookie)
    assert status == 200
    assert b"noiseless studio" in page
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"
    assert request(guard, "/api/session", cookie=f"{COOKIE}=guess")[0] == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example:8901"},  # a name that its owner points at this machine
        {"host": "127.0.0.1:8902"},
        {"origin": "http://evil.example"},
        {"origin": "https://127.0.0.1:8901"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
    ],
)
def test_no_other_page_talks_to_it(guard: Guard, headers: dict[str, str]) -> None:
    cookie = request(guard, guard.link)[1]["set-cookie"].split(";")[0]
    assert request(guard, "/api/session", cookie=cookie)[0] == 200
    assert request(guard, "/api/session", **{"cookie": cookie, **headers})[0] == 403
    assert request(guard, "/api/jobs", method="POST", **{"cookie": cookie, **headers})[0] == 403


# Work that can be stopped


def test_work_is_done_elsewhere_and_can_be_stopped(worker: Worker, people: Path) -> None:
    project = {"source": str(people)}
    opened = ended(worker.submit("open", {"project": project}))
    assert opened.state == "done"
    assert opened.result["rows"] == len(ROWS)
    long = worker.submit("audit", {"project": {**project, "roles": {"x" * 10: "public"}}})
    assert ended(long).state == "failed"
    assert long.error is not None
    assert "\n" not in long.error
    first = worker.submit("open", {"project": project})
    worker.stop(first)
    assert ended(first).state in ("stopped", "done")
    after = ended(worker.submit("audit", {"project": {**project, "roles": ROLES}}))
    assert after.state == "done"
    assert after.result["audit"]["min_posterior"] == 1


def test_a_process_that_is_killed_is_said_so_and_another_begins(worker: Worker, people: Path) -> None:
    ended(worker.submit("open", {"project": {"source": str(people)}}))
    worker._process.kill()  # as the system does when memory is short
    worker._process.join()
    again = ended(worker.submit("open", {"project": {"source": str(people)}}))
    assert again.state == "done"


def test_who_asks_again_does_not_wait_for_what_he_asked_before(worker: Worker, people: Path) -> None:
    project = {"source": str(people), "roles": ROLES}
    jobs = [worker.submit("audit", {"project": project}) for _ in range(5)]
    states = [ended(job).state for job in jobs]
    assert states[-1] == "done"
    assert set(states) <= {"done", "stopped"}


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("nonsense.csv", bytes(range(256)) * 50, ""),
        ("empty.csv", b"", ""),
        ("missing.csv", None, "no such file"),
        ("broken.parquet", b"PAR1 no", ""),
    ],
)
def test_bad_files_get_one_sentence(
    worker: Worker, tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    found = ended(worker.submit("open", {"project": {"source": str(path)}}))
    if found.state == "failed":
        assert found.error
        assert "\n" not in found.error
        assert "failed inside" not in found.error
        assert said in found.error.lower()


# What it finds is what the commands find


def test_the_command_and_the_lines_of_python_make_the_same_bytes(tmp_path: Path, people: Path) -> None:
    (tmp_path / "work").mkdir()
    desk = Desk(str(tmp_path / "work"))
    project = {"source": str(people), "roles": ROLES, "limits": {"min_posterior": 2}}
    found = done(desk, "files", project=project)
    environment = {
        **os.environ,
        "SOURCE_DATE_EPOCH": "1",
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    command = [sys.executable, "-m", "noiseless", *shlex.split(found["command"])[1:]]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    released = (tmp_path / "work" / found["files"] / "released.csv").read_bytes()
    assert (tmp_path / "released.csv").read_bytes() == released
    (tmp_path / "released.csv").unlink()
    (tmp_path / "certificate.json").unlink()
    subprocess.run([sys.executable, "-c", found["python"]], cwd=tmp_path, env=environment, check=True)
    assert (tmp_path / "released.csv").read_bytes() == released
    assert done(desk, "verify", project=project, files=found["files"])["verification"]["holds"]
    assert "[budget]" in done(desk, "curator", project=project)["text"]


def test_a_table_of_a_server_is_released_as_the_command_does(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    url = postgres.new_url()
    rows = ", ".join(f"({20 + i % 9}, '{'fm'[i % 2]}', '{'xyz'[i % 3]}')" for i in range(60))
    postgres.execute(
        url, f"CREATE TABLE people (age int, sex text, illness text); INSERT INTO people VALUES {rows}"
    )
    (tmp_path / "work").mkdir()
    desk, project = Desk(str(tmp_path / "work")), {"source": f"{url}::people"}
    opened = done(desk, "open", project=project)
    assert (opened["rows"], [column["role"] for column in opened["columns"]]) == (
        60,
        ["public", "public", "sensitive"],
    )
    found = done(desk, "files", project=project | {"roles": ROLES, "limits": {"min_posterior": 3}})
    words = shlex.split(found["command"])[1:]
    words[1] = project["source"]  # without its options in what is shown
    with chdir(tmp_path):
        assert run(words) == 0
    released = tmp_path / "work" / found["files"] / "released.csv"
    assert (tmp_path / "released.csv").read_bytes() == released.read_bytes()


def typed(found: dict[str, Any], folder: Path) -> None:
    """Run the command that the studio shows; starting Python for each takes long."""
    with chdir(folder):
        assert run(shlex.split(found["command"])[1:]) == 0


def lined(found: dict[str, Any], folder: Path) -> None:
    """Run the lines of Python that the studio shows."""
    with chdir(folder):
        exec(found["python"], {})


@pytest.mark.parametrize("method", ["suppress", "round"])
def test_counts_are_protected_as_the_command_does(tmp_path: Path, method: str) -> None:
    people = tmp_path / "people.csv"
    people.write_text("sex,illness\n" + "".join(f"{'fm'[i % 2]},{'abc'[i * i % 7 % 3]}\n" for i in range(40)))
    (tmp_path / "work").mkdir()
    roles = {"sex": "public", "illness": "sensitive"}
    found = done(
        Desk(str(tmp_path / "work")),
        "protect_tables",
        project={"source": str(people), "roles": roles},
        rows=["sex"],
        cols=["illness"],
        below=3,
        method=method,
    )
    assert found["protection"]["holds"]
    for again in (typed, lined):
        again(found, tmp_path)
        for name in ("counts.csv", "counts-certificate.json", "counts.html"):
            made = (tmp_path / name).read_bytes()
            assert made == (tmp_path / "work" / found["files"] / name).read_bytes()
            mode = (tmp_path / name).stat().st_mode
            assert name != "counts.html" or mode & 0o77 == 0  # it has the true figures
            (tmp_path / name).unlink()


def test_an_audit_says_what_the_command_says(tmp_path: Path, people: Path) -> None:
    import noiseless as nl

    found = done(Desk(str(tmp_path)), "audit", project={"source": str(people), "roles": ROLES})["audit"]
    direct = nl.audit(str(people), sensitive="illness", public=["age", "sex"]).to_dict()
    assert found | {"source": ""} == direct | {"source": ""}
    assert "values" not in found["witnesses"][0]


def test_the_headline_comes_first_and_agrees_with_the_whole(tmp_path: Path, people: Path) -> None:
    heard = list[Any]()
    project = {"source": str(people), "roles": ROLES}
    whole = Desk(str(tmp_path)).do("audit", {"project": project}, lambda *news: heard.append(news))
    ((_, early),) = heard
    assert {"verdict", "min_posterior", "best_guess", "k_anonymity"} <= set(early["audit"])
    assert "contributions" not in early["audit"]
    assert early["audit"].items() <= whole["audit"].items()


def test_rules_say_what_the_command_says(tmp_path: Path, people: Path) -> None:
    import noiseless as nl

    project = {"source": str(people), "roles": ROLES}
    found = done(Desk(str(tmp_path)), "rules", project=project, rule=["age=round:20", "min-cell:2"])
    direct = nl.audit(
        str(people), sensitive="illness", public=["age", "sex"], rule=["age=round:20", "min-cell:2"]
    )
    assert direct.rules is not None
    assert found["rules"] == direct.rules.to_dict()
    assert "--rule age=round:20 --rule min-cell:2" in found["command"]


@pytest.mark.parametrize(
    "column",
    [
        ColumnSummary("age", "integer", 0, 60, 0, 95),
        ColumnSummary("height", "decimal", 0, 60, Decimal("-1.5"), Decimal("2.1")),
        ColumnSummary("born", "date", 0, 60, date(1950, 1, 1), date(2020, 1, 1)),
        ColumnSummary("ward", "text", 0, 6),
        ColumnSummary("smokes", "boolean", 0, 2),
    ],
)
def test_rules_to_choose_from_are_in_the_catalogue(column: ColumnSummary) -> None:
    from noiseless.rules import rule

    offered = rules_for(column)
    assert all(rule(text).text == text for role in offered.values() for text in role)
    assert bool(offered["public"]) == (column.kind != "boolean")


def test_every_figure_names_a_page_that_is_there() -> None:
    root = Path(__file__).parents[3]
    page = (root / "src/noiseless/studio/page/explain.js").read_text()
    named = re.findall(r'"([\w-]+\.md)#([\w-]+)"', page)
    assert len(named) > 10
    for file, place in named:
        assert f'id="{place}"' in (manual_page(file) or ""), (file, place)
    views = "".join(file.read_text() for file in (root / "src/noiseless/studio/page/views").glob("*.js"))
    used = {key for call in re.findall(r"meaning\(([^)]*)\)", views) for key in re.findall(r'"(\w+)"', call)}
    assert used <= set(re.findall(r"^  (\w+): \[", page, re.MULTILINE))


def test_pages_of_the_manual_hold_no_script_and_link_only_to_each_other() -> None:
    links = set[str]()
    for name in PAGES:
        page = manual_page(f"{name}.md") or ""
        assert "<h1" in page
        assert not re.search("<(script|img|style)| style=", page)
        links |= set(re.findall(r'<a href="([^"]*)"', page))
    assert links
    assert {link.partition("#")[0].removesuffix(".md") for link in links} <= {"", *PAGES}
    assert not [name for name in ("../secret.md", "studio.md", "audit", "audit.md/") if manual_page(name)]


def test_no_value_is_shown_before_it_is_asked_for(tmp_path: Path, people: Path) -> None:
    desk = Desk(str(tmp_path))
    opened = done(desk, "open", project={"source": str(people)})
    assert not any(illness in str(opened) for _, _, illness in ROWS)
    shown = done(desk, "values", project={"source": str(people)}, column="illness")
    assert {one["value"]: one["rows"] for one in shown["values"]} == {"flu": 2, "cold": 2, "hiv": 1}


@pytest.mark.parametrize(
    ("roles", "said"),
    [({"age": "public"}, "sensitive"), ({"illness": "sensitive"}, "public"), ({}, "sensitive")],
)
def test_roles_that_are_missing_are_asked_for(
    tmp_path: Path, people: Path, roles: dict[str, str], said: str
) -> None:
    with pytest.raises(RequestError, match=f"mark at least one column as {said}"):
        done(Desk(str(tmp_path)), "audit", project={"source": str(people), "roles": roles})


# Roles and projects


@pytest.mark.parametrize(
    ("column", "role"),
    [
        (ColumnSummary("patientId", "integer", 0, 40), "person"),
        (ColumnSummary("Patient", "text", 0, 40), "person"),
        (ColumnSummary("household", "integer", 0, 6), "public"),
        (ColumnSummary("email", "text", 0, 90), "identifier"),
        (ColumnSummary("record", "integer", 0, 100), "identifier"),
        (ColumnSummary("diagnosis", "text", 0, 9), "sensitive"),
        (ColumnSummary("country", "text", 0, 1), "ignored"),
        (ColumnSummary("note", "text", 100, 0), "ignored"),
        (ColumnSummary("height", "decimal", 0, 100), "public"),
        (ColumnSummary("postcode", "integer", 0, 30), "public"),
    ],
)
def test_roles_are_proposed(column: ColumnSummary, role: str) -> None:
    found = propose_roles([column], 100)[column.name]
    assert found.role == role
    assert found.reason


def test_a_project_comes_back_as_it_was(tmp_path: Path) -> None:
    limits = {"min_posterior": 3, "suppress": 0.05, "hierarchy": {"a b": "trees/a.csv"}}
    written = {"encoding": "latin-1", "decimal": ","}
    roles = {'odd "name"': "public", "x.y": "sensitive", "id": "person"}
    project = Project.of({"source": "people.csv", "roles": roles, "limits": limits, "written": written})
    project.write(tmp_path / "p.toml")
    found = Project.read(tmp_path / "p.toml")
    assert found == project.placed(tmp_path)
    assert (found.source, found.limits.hierarchy["a b"]) == (
        str(tmp_path / "people.csv"),
        str(tmp_path / "trees" / "a.csv"),
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "kind = 3",
        'kind = "noiseless-studio"\nsource = 3',
        "\x00",
        'kind = "noiseless-studio"\n[roles]\na = "x"',
    ],
)
def test_other_files_are_no_projects(tmp_path: Path, text: str) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(RequestError, match="project"):
        Project.read(tmp_path / "p.toml")


def test_a_job_that_is_over_stays_over() -> None:
    job = Job(1, "open", {})
    job.update("running", share=0.3, result=2)
    job.update("running", share=0.5)
    assert (job.share, job.result) == (0.5, 2)
    job.update("stopped")
    job.update("done", result=1)
    assert (job.state, job.result) == ("stopped", None)
    job.wait(0, 60)  # it does not wait for news of what is over


# What is taken away


def test_each_release_keeps_its_own_files_and_the_oldest_make_room(tmp_path: Path, people: Path) -> None:
    (tmp_path / "work").mkdir()
    desk = Desk(str(tmp_path / "work"))
    project: dict[str, Any] = {"source": str(people), "roles": ROLES}
    made = [
        done(desk, "files", project=project | {"limits": {"min_posterior": least}})
        for least in (2, 3, 2, 3, 2)
    ]
    assert len({one["files"] for one in made}) == 5
    assert not (tmp_path / "work" / made[0]["files"]).exists()
    for one in made[1:]:
        folder = tmp_path / "work" / one["files"]
        assert {"released.csv", "certificate.json", "board.html"} <= {file.name for file in folder.iterdir()}
        assert done(desk, "verify", project=project, files=one["files"])["verification"]["holds"]
    assert made[3]["limits"] == ["at least 3 values left"]
    with pytest.raises(RequestError, match="make it again"):
        done(desk, "verify", project=project, files=made[0]["files"])


def test_a_step_says_what_the_files_hold_that_are_made_of_it_later(tmp_path: Path, people: Path) -> None:
    import noiseless as nl

    (tmp_path / "work").mkdir()
    desk = Desk(str(tmp_path / "work"))
    project: dict[str, Any] = {"source": str(people), "roles": ROLES}
    done(desk, "frontier", project=project)
    steps = [done(desk, "release", project=project | {"limits": {"min_posterior": k}}) for k in (1, 2, 3)]
    assert [step["release"]["min_posterior"] for step in steps] == [1, 2, 3]
    assert not list((tmp_path / "work").iterdir())
    again = Desk(str(tmp_path / "work"))  # the process of the first was stopped
    for step, each in zip(steps, (desk, again, desk), strict=True):
        asked = step["asked"]
        found = done(each, "files", project=project, asked=asked)
        assert {name: found[name] for name in step} == step
        certificate = json.loads((tmp_path / "work" / found["files"] / "certificate.json").read_text())
        assert certificate["claim"]["min_posterior"] == step["release"]["min_posterior"]
        direct = nl.release(
            str(people), sensitive="illness", public=["age", "sex"], min_posterior=asked["min_posterior"]
        )
        assert step["release"] | {"source": ""} == direct.to_dict() | {"source": ""}
        assert done(each, "verify", project=project, files=found["files"])["verification"]["holds"]


def test_the_certificate_is_that_of_the_command_but_for_its_time(tmp_path: Path, people: Path) -> None:
    (tmp_path / "work").mkdir()
    limits = {"min_posterior": 2, "min_rows": 2, "largest_belief": "2/3", "prefer": "mean"}
    found = done(
        Desk(str(tmp_path / "work")),
        "files",
        project={"source": str(people), "roles": ROLES, "limits": limits},
    )
    kept = tmp_path / "work" / found["files"]
    for again in (typed, lined):
        again(found, tmp_path)
        assert (tmp_path / "released.csv").read_bytes() == (kept / "released.csv").read_bytes()
        mine, theirs = ((place / "certificate.json").read_text().splitlines() for place in (tmp_path, kept))
        assert [line for line in mine if '"created"' not in line] == [
            line for line in theirs if '"created"' not in line
        ]
        assert len(mine) == len(theirs)
        (tmp_path / "released.csv").unlink()
        (tmp_path / "certificate.json").unlink()


def test_no_password_of_a_database_is_written_down(tmp_path: Path) -> None:
    from noiseless.studio.command import shown_source, table_name

    address = "postgresql://me:secret@host/db?password=secret::people"
    project = Project(source=address, roles={"age": "public"})
    assert project.placed(tmp_path).source == address
    for text in (project.without(tmp_path).toml, table_name(address), shown_source(address)):
        assert "secret" not in text
        assert "postgresql://me@host/db::people" in text


def test_totals_are_audited_and_protected_as_the_command_does(tmp_path: Path) -> None:
    firms = tmp_path / "firms.csv"
    amounts = [(900, "a", "x"), (5, "a", "x"), (30, "a", "y"), (28, "a", "y"), (31, "b", "x"), (29, "b", "y")]
    lines = [f"{amount},{region},{branch}\n" for amount, region, branch in (*amounts, *amounts[2:])]
    firms.write_text("turnover,region,branch\n" + "".join(lines))
    (tmp_path / "work").mkdir()
    desk = Desk(str(tmp_path / "work"))
    asked = {"rows": ["region"], "cols": ["branch"], "value": "turnover", "p_percent": 10}
    roles = {"turnover": "sensitive", "region": "public", "branch": "public"}
    project = {"source": str(firms), "roles": roles}
    found = done(desk, "tables", project=project, **asked)
    assert found["verdict"].startswith("Not protected")
    assert found["mark"] == "bad"
    assert [one["of"]["labels"] for one in found["tables"]["requirements"] if one["holds"] is False]
    safe = done(desk, "protect_tables", project=project, method="suppress", **asked)
    assert safe["protection"]["holds"]
    command = [sys.executable, "-m", "noiseless", *shlex.split(safe["command"])[1:]]
    for again in (command, [sys.executable, "-c", safe["python"]]):
        subprocess.run(again, cwd=tmp_path, check=True, capture_output=True)
        assert (tmp_path / "counts.csv").read_bytes() == (
            tmp_path / "work" / safe["files"] / "counts.csv"
        ).read_bytes()
        (tmp_path / "counts.csv").unlink()


def test_counts_of_a_file_from_elsewhere_are_protected_as_the_lines_of_python_do(tmp_path: Path) -> None:
    lines = "".join(f"{'fm'[i % 2]};Hüfte {'abc'[i * i % 7 % 3]}\n" for i in range(40))
    (tmp_path / "people.csv").write_text(f"sex,at birth;Diagnose\n{lines}", "latin-1")
    (tmp_path / "work").mkdir()
    written = {"encoding": "latin-1", "separator": ";"}
    roles = {"sex,at birth": "public", "Diagnose": "sensitive"}
    found = done(
        Desk(str(tmp_path / "work")),
        "protect_tables",
        project={"source": str(tmp_path / "people.csv"), "roles": roles, "written": written},
        rows=["sex,at birth"],
        cols=["Diagnose"],
        below=3,
    )
    assert found["protection"]["holds"]
    assert found["command"] is None
    lined(found, tmp_path)
    counts = (tmp_path / "counts.csv").read_bytes()
    assert counts == (tmp_path / "work" / found["files"] / "counts.csv").read_bytes()
    assert b"H\xc3\xbcfte a" in counts


def test_counts_that_people_learn_by_their_own_are_said_to_be_so(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("sex,illness\n" + "f,a\n" * 6 + "m,a\n" * 7 + "f,b\nm,b\n" + "f,c\n" * 8 + "m,c\n" * 8)
    roles = {"sex": "public", "illness": "sensitive"}
    found = done(
        Desk(str(tmp_path)),
        "tables",
        project={"source": str(people), "roles": roles},
        rows=["sex"],
        cols=["illness"],
        below=3,
    )
    told = found["tables"]
    assert not any(one["group_disclosure"] for one in told["persons"])
    assert any(one["learns"] for one in told["contributors"]) == ("contributor" in found["verdict"])


# What the page sends


@pytest.fixture
def browser(guard: Guard) -> Callable[..., tuple[int, bytes]]:
    """Somebody who opened the link."""
    cookie = request(guard, guard.link)[1]["set-cookie"].split(";")[0]

    def ask(path: str, method: str = "GET", body: str = "", **headers: str) -> tuple[int, bytes]:
        status, _, content = request(guard, path, method=method, body=body, cookie=cookie, **headers)
        return status, content

    return ask


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Leute.csv", "Leute.csv"),
        ("1a2b/parts/p0.parquet", "1a2b/parts/p0.parquet"),
        ("../../../etc/passwd", "etc/passwd"),
        ("..%2F..%2Fa.csv", "a.csv"),
        ("gr%C3%B6%C3%9Fe;.csv", "größe_.csv"),
        ("", "table.csv"),
        ("a/b/c/../.csv", "c/csv"),
    ],
)
def test_dropped_files_stay_in_the_private_folder(
    browser: Callable[..., tuple[int, bytes]], tmp_path: Path, name: str, kept: str
) -> None:
    status, answer = browser("/api/uploads", "PUT", body="a,b\n1,2\n", x_file=name)
    assert status == 200
    assert json.loads(answer) == {"path": str(tmp_path / "uploads" / kept)}
    assert (tmp_path / "uploads" / kept).read_bytes() == b"a,b\n1,2\n"
    assert (tmp_path / "uploads" / kept).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "path", ["people.csv", "uploads/people.csv", "release-1/../people.csv", "release-1/x.csv", "release-1"]
)
def test_only_what_jobs_made_is_sent(
    browser: Callable[..., tuple[int, bytes]], tmp_path: Path, people: Path, path: str
) -> None:
    assert people.parent == tmp_path
    (tmp_path / "release-1").mkdir()
    (tmp_path / "release-1" / "released.csv").write_text("made")
    assert browser("/api/files/release-1/released.csv") == (200, b"made")
    assert browser(f"/api/files/{path}")[0] == 404


def test_a_reload_finds_the_releases_of_its_table(
    browser: Callable[..., tuple[int, bytes]], people: Path
) -> None:
    def ask(job: str, **project: Any) -> Any:  # noqa: ANN401 - JSON
        asked = json.dumps({"job": job, "project": project})
        found = json.loads(browser("/api/jobs", "POST", body=asked)[1])
        while found["state"] in ("waiting", "running"):
            found = json.loads(browser(f"/api/jobs/{found['id']}")[1])
        return found

    made = ask("release", source=str(people), roles=ROLES, limits={"min_posterior": 2})
    ask("audit", source=str(people), roles=ROLES)
    (kept,) = json.loads(browser("/api/session")[1])["releases"]
    assert kept == made["result"]
    ask("audit", source=str(people), roles=ROLES | {"age": "ignored"})
    assert json.loads(browser("/api/session")[1])["releases"] == []


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_private_folder_is_gone_however_the_studio_is_told_to_end(
    tmp_path: Path, told: signal.Signals
) -> None:
    command = [sys.executable, "-m", "noiseless", "studio", "--no-browser"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        link = re.search(r"http://\S+", process.stdout.readline())
        assert link is not None
        with pytest.raises(urllib.error.HTTPError, match="403"):  # it serves
            urllib.request.urlopen(link.group(0).rpartition("/start/")[0])
        assert list(tmp_path.glob("noiseless-studio-*"))
        process.send_signal(told)
    assert not list(tmp_path.glob("noiseless-studio-*"))
