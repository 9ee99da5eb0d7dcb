"""A steward's hour in a real browser; with NOISELESS_SCREENSHOTS pictures are kept there."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console_axe import violations
from console_site import Reader
from waiting import wait_until

pytest_plugins = ["browsers"]


@pytest.fixture
def steward(chromium: Any, pictures: Path | None, tmp_path: Path) -> Iterator["Steward"]:  # noqa: ANN401
    pytest.importorskip("starlette", reason="the studio needs the extra `server`")
    found = Steward(Reader(chromium, "", pictures), tmp_path)
    yield found
    found.stop()


class Steward:
    """Somebody who starts the studio and works in it."""

    def __init__(self, reader: Reader, folder: Path) -> None:
        self.folder, self.reader = folder, reader
        self._process: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> None:
        """Start the studio and open its link."""
        command = [sys.executable, "-m", "noiseless", "studio", *arguments, "--no-browser"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=self.folder)
        assert self._process.stdout is not None
        link = re.search(r"http\S+", self._process.stdout.readline())
        assert link is not None
        self.reader.driver.get(link.group(0))

    def stop(self) -> None:
        """End the studio."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def signal_work(self, told: signal.Signals) -> None:
        """Send a signal to the process that works: held, it is as long about its work as a test needs."""
        assert self._process is not None
        for line in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                status = (line.parent / "stat").read_text().rpartition(")")[2].split()
                works = b"spawn_main" in line.read_bytes() and int(status[1]) == self._process.pid
            except OSError:  # it ended meanwhile
                continue
            if works:
                os.kill(int(line.parent.name), told)

    def click(self, words: str, selector: str = "button, a.button, summary") -> None:
        """Click what has these words."""
        self.reader.find(selector, words).click()

    def choose(self, label: str, value: str) -> None:
        """Choose from a list, by what it is called."""
        self.reader.driver.execute_script(
            'const e = document.querySelector(`select[aria-label="${arguments[0]}"]`);'
            "e.value = arguments[1]; e.dispatchEvent(new Event('change', {bubbles: true}))",
            label,
            value,
        )


def test_a_stewards_hour(steward: Steward) -> None:
    reader = steward.reader
    reader.look(1280, 900)
    steward.start()
    reader.find("h1", "What does a table give away?")
    reader.picture("studio-open")
    steward.click("patients.csv")
    reader.find(".words", "40 of 40 rows")
    assert "flu" not in reader.text
    steward.click("Show their values")
    reader.find("table", "flu")
    steward.click("Look for them")
    reader.find("table", "Columns that single rows out")
    reader.type('[aria-label="Rule for age"]', "round:20\n")
    reader.find(".rules", "Under age=round:20")
    reader.type('[aria-label="Rule for small groups"]', "min-cell:3\n")
    reader.find(".rules", "Under min-cell:3")
    steward.click("All of them together")
    reader.find(".words", "Under age=round:20, min-cell:3")
    steward.click("What this means", ".tile summary")
    assert (
        reader.find(".tile .what a", "Read more")
        .get_attribute("href")
        .endswith("/manual/measures.md#privacy")
    )
    reader.picture("studio-audit")
    steward.choose("What postcode is for", "ignored")
    reader.find(".words.bad", "rows have their illness given away")
    _protect(steward)
    _take_away(steward)
    reader.driver.execute_script("location.hash = '#/tables'")
    reader.find("h1", "Publish a table instead of rows")
    steward.click("Audit", "form button")
    reader.find(".words")
    steward.click("Protect", "form button")
    reader.find(".words.good", "No count below the threshold follows")
    reader.find("a.button", "counts-certificate.json")
    steward.click("The same without the browser")
    reader.find("pre", "noiseless tables protect --microdata patients.csv")
    reader.find("pre", 'nl.protect_tables(microdata="patients.csv"')
    reader.picture("studio-tables")
    assert not reader.problems()


def test_values_are_dragged_together_and_released_as_groups(steward: Steward, axe: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    reader = steward.reader
    lines = "".join(f"{'abcdef'[i % 6]},{'xyz'[i * 7 % 3]}\n" for i in range(60))
    (steward.folder / "people.csv").write_text("ward,diagnosis\n" + lines)
    reader.look(1280, 900)
    steward.start("people.csv")
    reader.find(".words")
    steward.click("Protect it")
    steward.click("Hierarchies")
    steward.click("Group its values")
    reader.find(".groups .chip", "f")

    def chip(label: str) -> Any:  # noqa: ANN401 - selenium's
        return reader.find(f'.groups .chip:is([aria-label="{label}"], [data-name="{label}"])')

    def drag(what: str, where: str) -> None:
        target = chip(where)
        reader.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", target)
        ActionChains(reader.driver).drag_and_drop(chip(what), target).perform()

    drag("a", "b")
    reader.find('.group[aria-label="Group b or a"]')
    drag("c", "Group b or a")
    for label in ("d", "e"):
        chip(label).send_keys(Keys.SPACE)
    assert chip("d").get_attribute("aria-pressed") == "true"
    reader.type('.groups input[placeholder="name of the new group"]', "east")
    steward.click("Put together")
    reader.find('.group[aria-label="Group east"]')
    reader.picture("studio-groups")
    assert violations(reader, axe) == []
    reader.driver.execute_script(
        "URL.createObjectURL = (made) => { made.text().then((text) => { window.saved = text; }); };"
    )
    steward.click("Save as an ARX file")
    wait_until(lambda: reader.driver.execute_script("return window.saved"), "the file is offered")
    assert "a;b or a;*" in reader.driver.execute_script("return window.saved")
    steward.click("Use these groups")
    reader.find(".hint", "Releases merge ward by these groups.")
    steward.click("Make the release")
    reader.find(".candidate")
    steward.click("Take it away")
    assert "--hierarchy ward=ward-hierarchy.csv" in reader.find("pre", "noiseless release").text
    reader.find("a.button", "ward-hierarchy.csv")
    reader.type("form.path input", "mine.toml\n")
    reader.find("#notices", "mine.toml")
    kept = (steward.folder / "ward-hierarchy.csv").read_text().splitlines()
    assert sorted(kept) == [
        *(f"{value};b or a;*" for value in "abc"),
        *(f"{value};east;*" for value in "de"),
        "f;f;*",
    ]
    assert not reader.problems()


def _protect(steward: Steward) -> None:
    reader = steward.reader
    steward.click("Protect it")
    reader.find("h1", "Make a release that gives away less")
    reader.find(".said", "At least 5 values of illness stay possible for everybody.")
    steward.click("Show what each limit costs")
    reader.find("circle.pick")
    steward.click("Make the release")
    reader.find(".candidate", "fewest values left")
    steward.click("Keep it to compare")
    picks = wait_until(
        lambda: reader.driver.find_elements("css selector", "circle.pick")[1:], "a second choice"
    )
    picks[0].click()
    reader.find("h2", "Two releases side by side")
    reader.picture("studio-protect")


def _take_away(steward: Steward) -> None:
    reader = steward.reader
    steward.click("Take it away")
    steward.click("Verify")
    reader.find(".notice", "all 23 checks pass")
    command = reader.find("pre", "noiseless release").text
    assert "--public age --public sex" in command
    assert "postcode" not in command
    reader.type("form.path input", str(steward.folder / "mine.toml") + "\n")
    reader.find("#notices", "mine.toml")
    steward.click("Draft a curator's file")
    reader.find(".handover textarea")
    reader.type(".handover input[type=text]", "patients-curator.toml")
    steward.click("Start the curator")
    reader.find(".notice.bad", "Check every bound first")
    reader.find("#sure").click()
    steward.click("Start the curator")
    address = reader.find(".handover a", "http://127.0.0.1:").text
    reader.picture("studio-take")
    assert _answers(address)
    assert "proposal" not in (steward.folder / "patients-curator.toml").read_text()
    steward.click("Stop the curator")
    reader.find(".notice", "The curator was stopped.")
    assert not _answers(address)


def _answers(address: str) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"{address}readyz") as answer:
            return bool(answer.status == 200)
    except urllib.error.URLError:
        return False


def test_a_project_reopens_where_it_was_left_at_any_size_and_for_anybody(steward: Steward, axe: str) -> None:
    reader = steward.reader
    lines = "".join(f"{20 + i % 30},{3000 + i % 7},{'abc'[i % 3]}\n" for i in range(60))
    (steward.folder / "people.csv").write_text("age,postcode,diagnosis\n" + lines)
    roles = '[roles]\nage = "public"\npostcode = "ignored"\ndiagnosis = "sensitive"\n'
    text = f'kind = "noiseless-studio"\nsource = "people.csv"\n{roles}[limits]\nmin_posterior = 2\n'
    (steward.folder / "mine.toml").write_text(text)
    found = list[str]()
    reader.look(1280, 900)
    steward.start("mine.toml")
    reader.find(".words")
    value = "return document.querySelector('select[aria-label=\"What postcode is for\"]').value"
    assert reader.driver.execute_script(value) == "ignored"
    found += violations(reader, axe)
    steward.click("Protect it")
    reader.find(".said", "At least 2 values of diagnosis")
    steward.click("Show what each limit costs")
    reader.find("circle.pick")
    steward.click("Make the release")
    reader.find(".candidate")
    found += violations(reader, axe)
    reader.look(390, 844, phone=True)
    reader.picture("studio-phone")
    found += violations(reader, axe)
    reader.look(1920, 1080, dark=True)
    steward.click("Take it away")
    reader.find("h1", "Take it away")
    reader.type("form.path input", "again.toml\n")
    reader.find("#notices", "again.toml")
    reader.picture("studio-large")
    found += violations(reader, axe)
    assert found == []


def test_bad_files_and_a_long_run_that_is_stopped(steward: Steward) -> None:
    reader = steward.reader
    (steward.folder / "nonsense.csv").write_bytes(bytes([0, 1, 2, 255, 254, 10, 13, 44]) * 400)
    lines = "".join(f"{i * 7919 % 301},{i * 104729 % 299},{i % 97}\n" for i in range(600))
    (steward.folder / "people.csv").write_text("a,b,diagnosis\n" + lines)
    reader.look(1280, 900)
    steward.start()
    reader.type("#path", "missing.csv\n")
    reader.find(".notice.bad", "missing.csv")
    reader.type("#path", "nonsense.csv\n")
    reader.find(".notice.bad", "nonsense.csv")
    reader.type("#path", "people.csv\n")
    reader.find("h2", "Who is at risk")  # the audit is over
    steward.click("Protect it")
    steward.signal_work(signal.SIGSTOP)
    steward.click("Show what each limit costs")
    steward.click("Stop")
    reader.find(".notice", "Stopped.")
    reader.find("button", "Make the release")
    steward.click("Make the release")
    reader.find(".candidate")
    assert not reader.problems()


def test_a_european_file_is_read_as_its_steward_says(steward: Steward) -> None:
    reader = steward.reader
    text = "größe;wann;diagnosis\n" + "".join(
        f"1,{i % 5};0{1 + i % 9}/04/1971;{'ab'[i % 2]}\n" for i in range(40)
    )
    (steward.folder / "leute.csv").write_text(text, "cp1252")
    reader.look(1280, 900)
    steward.start("leute.csv")
    reader.find(".notice.bad", "not UTF-8")
    steward.click("Read it as Western European")
    reader.find(".notice", "größe: read as text")
    reader.picture("studio-european")
    steward.click("Read them with a decimal comma")
    reader.find("table", "numbers, 1.0 to 1.4")
    steward.click("Read wann as DD/MM/YYYY")
    reader.find("table", "dates, 1971-04-01 to 1971-04-09")
    reader.find("p", "CSV, cp1252, separated by semicolons, decimal comma, dates as DD/MM/YYYY")
    reader.find(".words")
    assert not reader.problems()


def test_a_separator_is_chosen_where_it_is_not_certain(steward: Steward) -> None:
    reader = steward.reader
    rows = "".join(f"{30 + i % 5},5;{'ab'[i % 2]}\n" for i in range(40))
    (steward.folder / "two.csv").write_text(f"age,years;diagnosis\n{rows}")
    reader.look(1280, 900)
    steward.start("two.csv")
    reader.find(".notice.bad", "Which separates its columns?")
    steward.click("Semicolons")
    reader.find("p", "separated by semicolons")
    assert not reader.problems()


def test_keyboard_alone(steward: Steward) -> None:
    from selenium.webdriver.common.keys import Keys

    reader = steward.reader
    reader.look(1280, 900)
    steward.start()
    reader.find("h1", "What does a table give away?")
    for _ in range(40):
        reader.press(Keys.TAB)
        if reader.focused == "patients.csv":
            break
    reader.press(Keys.ENTER)
    reader.find(".words")
    for _ in range(40):
        reader.press(Keys.TAB)
        if reader.focused == "Protect it":
            break
    reader.press(Keys.ENTER)
    reader.find("h1", "Make a release")
    for _ in range(40):
        reader.press(Keys.TAB)
        if reader.focused == "Make the release":
            break
    reader.press(Keys.ENTER)
    reader.find(".candidate")
    for _ in range(60):
        reader.press(Keys.TAB)
        if reader.focused == "Take it away":
            break
    reader.press(Keys.ENTER)
    reader.find("h1", "Take it away")


def test_nothing_leaves_the_machine(steward: Steward) -> None:
    reader = steward.reader
    steward.start()
    reader.find("h1", "What does a table give away?")
    steward.click("patients.csv")
    reader.find(".words")
    asked = reader.driver.execute_script(
        "return performance.getEntriesByType('resource').map((one) => one.name)"
    )
    assert asked
    assert all(name.startswith("http://127.0.0.1:") for name in asked)
    assert not any("illness" in name or "patients" in name for name in asked)
    kept = "return [localStorage.length, sessionStorage.length, document.cookie]"
    assert reader.driver.execute_script(kept) == [0, 0, ""]


def test_a_folder_that_is_dropped_is_one_table(steward: Steward) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    reader = steward.reader
    (steward.folder / "parts").mkdir()
    for part in range(2):
        rows = {"age": [i % 9 for i in range(40)], "diagnosis": ["abc"[i % 3] for i in range(40)]}
        pq.write_table(pa.table(rows), steward.folder / "parts" / f"p{part}.parquet")
    reader.look(1280, 900)
    steward.start()
    _drop(steward, steward.folder / "parts")
    reader.find("h1", "parts")
    reader.find(".reading", "80 rows, 2 columns, Parquet")
    reader.driver.execute_script("location.hash = ''")
    _drop(steward, steward.folder / "parts" / "p0.parquet", steward.folder / "parts" / "p1.parquet")
    reader.find(".reading", "80 rows, 2 columns, Parquet")
    (steward.folder / "nothing").mkdir()
    reader.driver.execute_script("location.hash = ''")
    _drop(steward, steward.folder / "nothing")
    reader.find(".notice.bad", "There is no file in that folder.")
    assert not reader.problems()


def _drop(steward: Steward, *paths: Path) -> None:
    """Drop files or a folder on the page."""
    target = steward.reader.find(".drop").rect
    place = {"x": target["x"] + target["width"] / 2, "y": target["y"] + target["height"] / 2}
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, **place, "data": data}
        steward.reader.driver.execute_cdp_cmd("Input.dispatchDragEvent", event)


def test_the_slider_says_what_a_step_costs_and_no_chart_outlives_its_limits(steward: Steward) -> None:
    reader = steward.reader

    def slide(place: int, value: int) -> None:
        reader.driver.execute_script(
            "const e = document.querySelectorAll('.limits input')[arguments[0]];"
            "e.value = arguments[1]; e.dispatchEvent(new Event('input', {bubbles: true}))",
            place,
            value,
        )

    def let_go() -> None:
        reader.driver.execute_script(
            "document.querySelector('.limits input').dispatchEvent(new Event('change', {bubbles: true}))"
        )

    reader.look(1280, 900)
    steward.start()
    steward.click("patients.csv")
    reader.find(".words")
    steward.click("Protect it")
    steward.click("Show what each limit costs")
    reader.find("circle.pick")
    asked = "return performance.getEntriesByType('resource').length"
    before = reader.driver.execute_script(asked)
    slide(0, 3)
    reader.find(
        ".said", "At least 3 values of illness stay possible for everybody. That costs a mean loss of"
    )
    slide(0, 6)
    reader.find(".said", "and leaks 0 bits.")
    assert reader.driver.execute_script(asked) == before
    let_go()
    reader.find(".candidate", "at least 6 values left")
    steward.click("Keep it to compare")
    slide(0, 2)
    let_go()
    reader.find(".candidate", "at least 2 values left")
    assert len(reader.driver.find_elements("css selector", ".candidate")) == 2
    assert reader.focused != "Two releases side by side"
    steward.click("Let go")
    slide(2, 4)
    reader.find(".notice", "The limits changed since this release was made.")
    reader.find(".notice", "The limits changed since this was computed.")
    let_go()
    reader.find(".candidate", "at least 4 rows alike")
    assert len(reader.driver.find_elements("css selector", ".candidate")) == 1
    assert not reader.driver.find_elements("css selector", "circle.pick")
    assert "That costs" not in reader.text
    steward.click("Show what each limit costs now")
    reader.find("circle.pick")
    reader.find(".said", "That costs")
    assert not reader.problems()


def test_a_reload_and_a_second_tab_find_the_releases_that_were_made(steward: Steward) -> None:
    reader = steward.reader
    reader.look(1280, 900)
    steward.start()
    steward.click("patients.csv")
    reader.find(".words")
    steward.click("Protect it")
    steward.click("Make the release")
    reader.find(".candidate")
    reader.driver.refresh()
    reader.find("h1", "Make a release")
    assert "at least 5 values left" in reader.find(".candidate").text
    first, address = reader.driver.current_window_handle, reader.driver.current_url
    reader.driver.switch_to.new_window("tab")
    reader.look(1280, 900)
    reader.driver.get(address)
    steward.click("Make the release")
    reader.find("h2", "The release")
    reader.driver.close()
    reader.driver.switch_to.window(first)
    steward.click("Take it away")
    steward.click("Verify")
    reader.find(".notice", "all 23 checks pass")
    reader.driver.refresh()
    reader.find("button", "Verify")
    steward.stop()
    steward.click("Verify")
    reader.find(".notice.bad", "The studio does not answer.")


def test_work_whose_process_is_killed_is_said_so_and_can_be_asked_for_again(steward: Steward) -> None:
    reader = steward.reader
    lines = "".join(f"{i * 7919 % 301},{i * 104729 % 299},{i % 97}\n" for i in range(600))
    (steward.folder / "people.csv").write_text("a,b,diagnosis\n" + lines)
    reader.look(1280, 900)
    steward.start("people.csv")
    reader.find("h2", "Who is at risk")  # the audit is over
    steward.click("Protect it")
    reader.find("button", "Make the release")
    steward.signal_work(signal.SIGSTOP)
    steward.click("Show what each limit costs")
    reader.find("progress")
    steward.signal_work(signal.SIGKILL)
    reader.find(".notice.bad", "The work ended early")
    steward.click("Make the release")
    reader.find(".candidate")


def test_what_is_missing_is_asked_for_calmly(steward: Steward, axe: str) -> None:
    reader = steward.reader
    (steward.folder / "plain.csv").write_text(
        "alpha,beta\n" + "".join(f"{i % 5},{i % 3}\n" for i in range(60))
    )
    reader.look(1280, 900)
    steward.start("plain.csv")
    reader.find(".notice", "Which column is sensitive, to be kept secret?")
    assert not reader.failures()
    assert violations(reader, axe) == []
    steward.choose("What beta is for", "sensitive")
    reader.find(".words")
    steward.click("values", '[aria-label="values of beta"]')
    reader.find(".shown", "Values of beta")
    assert violations(reader, axe) == []
    steward.click("Hide them")
    assert not reader.driver.find_elements("css selector", ".shown")
