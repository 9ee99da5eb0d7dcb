"""A server with made-up datasets for tests of the console, and a browser that looks at it."""

import base64
import json
import os
import random
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from waiting import HANGS, free_port, wait_until

START = """
import sys
from noiseless.server.processes import serve
from noiseless.server.settings import ListenOptions, Settings
patient = Settings(curators=tuple(sys.argv[3:]), timeout=float(sys.argv[2]), patience=float(sys.argv[2]))
serve(patient, ListenOptions(port=int(sys.argv[1]), log_format="text"))
"""

FILE = """
[dataset]
name = "{name}"
source = "meters.csv"
[budget]
bits = {bits}
query_bits = 1.6
{budget}
[columns.suburb]
role = "public"
categories = ["north", "south", "west", "harbour"]
[columns.kwh]
role = "private"
bounds = [0, 10]
step = 0.5
[columns.solar]
role = "private"
type = "boolean"
[columns.heating]
role = "private"
categories = ["gas", "oil", "pump", "<img src=x onerror=alert(1)>"]
[columns.joined]
role = "private"
bounds = [2024-01-01, 2024-12-31]
[queries.burden]
pieces = [{{ value = 3, kwh = [5, 10], heating = ["oil", "<img src=x onerror=alert(1)>"] }}]
"""

BUDGETS = {
    "meters": (12, ""),
    "other": (12, ""),
    "small": (4, ""),
    "quota": (30, "analyst_bits = 2"),
    "phone": (8, ""),
    "slow": (12, ""),
}

_MEANS = {"north": 3.1, "south": 4.2, "west": 2.4, "harbour": 5.6}
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--window-size=1200,900", "--lang=en-GB"),
)


def write_dataset(folder: Path, name: str) -> Path:
    """A table of made-up households and the file of its curator."""
    chance = random.Random(name)
    rows = ["suburb,kwh,solar,heating,joined"]
    for _ in range(300):
        suburb = chance.choice(list(_MEANS))
        kwh = min(10, max(0, round(chance.gauss(_MEANS[suburb], 1.1) * 2) / 2))
        joined = f"2024-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
        solar, heating = chance.choice(["true", "false"]), chance.choice(["gas", "oil", "pump"])
        rows.append(f"{suburb},{kwh},{solar},{heating},{joined}")
    home = folder / name
    home.mkdir()
    (home / "meters.csv").write_text("\n".join(rows) + "\n")
    bits, budget = BUDGETS[name]
    (home / "curator.toml").write_text(FILE.format(name=name, bits=bits, budget=budget))
    return home / "curator.toml"


@dataclass
class Site:
    """A running server.

    Attributes:
        url: where it is.
        files: the curators' files by dataset.
        process: the server.
    """

    url: str
    files: dict[str, Path]
    process: "subprocess.Popen[bytes]"

    @classmethod
    def start(cls, folder: Path) -> "Site":
        """Write all datasets and serve them."""
        files = {name: write_dataset(folder, name) for name in BUDGETS}
        port = free_port()
        command = [sys.executable, "-c", START, str(port), str(HANGS), *map(str, files.values())]
        with (folder / "server.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        site = cls(f"http://127.0.0.1:{port}/", files, process)
        try:
            wait_until(site._is_ready, "the server starts")
        except BaseException:
            process.kill()
            raise
        return site

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, "the server ended by itself"
        try:
            with urllib.request.urlopen(f"{self.url}readyz", timeout=HANGS):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def stop(self) -> None:
        """End the server."""
        self.process.terminate()
        self.process.wait(HANGS)

    def token(self, dataset: str, role: str = "analyst", name: str = "ann") -> str:
        """A new token, as the command line makes one."""
        from noiseless.curator import Curator
        from noiseless.ledger.analysts import NewToken, Role, add_token

        made = NewToken.random()
        roles: dict[str, Role] = {"owner": "owner", "analyst": "analyst"}
        with Curator.unchecked(self.files[dataset]) as curator:
            add_token(curator.ledger, [dataset], name=name, role=roles[role], token=made)
        return made.text

    def call(self, token: str, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """The status and the JSON of a response."""
        request = urllib.request.Request(
            f"{self.url}v1/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=HANGS) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def ask(self, token: str, dataset: str, *sql: str) -> Any:  # noqa: ANN401 - JSON
        """Ask a batch without a browser."""
        status, found = self.call(token, "POST", f"datasets/{dataset}/queries", {"queries": list(sql)})
        assert status == 200, found
        return found


def open_chromium(profile: Path) -> Any:  # noqa: ANN401 - a selenium driver; selenium may be missing
    """A headless Chromium of Debian's, in the light, on a desk."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(str(shutil.which("chromedriver")), log_output=os.devnull)
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_script_timeout(HANGS)
    driver.set_page_load_timeout(HANGS)
    driver.command_executor.client_config.timeout = int(HANGS)  # type: ignore[union-attr]  # never a text
    return driver


def _lasting(element: Any, again: Callable[[], Any]) -> Any:  # noqa: ANN401 - selenium's
    """An element that is looked for again when the page was drawn anew between a look and a click."""
    from selenium.common.exceptions import StaleElementReferenceException
    from selenium.webdriver.remote.webelement import WebElement

    class Lasting(WebElement):
        def _execute(self, command: str, params: dict[str, Any] | None = None) -> Any:  # noqa: ANN401
            while True:
                try:
                    return super()._execute(command, params)  # type: ignore[no-untyped-call]  # selenium
                except StaleElementReferenceException:
                    self._id = again().id

    return Lasting(element.parent, element.id)


_SHOWN = """
const shown = (all) => [...document.querySelectorAll(all)].filter((one) => one.checkVisibility());
const words = (one) => (one.innerText ?? one.textContent).replace(/\\s+/g, " ");
const bad = () => shown(".notice.bad").map(words);
"""
_LOOK = """
const [selector, text, failed, done] = arguments;
const look = () => {
  const found = shown(selector).find((one) => text === null || words(one).includes(text));
  if (!found && bad().every((said) => failed.includes(said))) return false;
  done(found ?? null);
  return true;
};
if (!look()) { const again = setInterval(() => look() && clearInterval(again), 20); }
"""
"""Looked for by the page itself: each look from outside takes all three processes as long as a step."""


class Reader:
    """Somebody in front of the console: looks, types, clicks, and keeps pictures."""

    def __init__(self, driver: Any, url: str, pictures: Path | None = None) -> None:  # noqa: ANN401
        self.driver, self.url, self.pictures = driver, url, pictures
        self.problems()  # those of the page before are not ours

    def look(self, width: int = 1200, height: int = 900, *, dark: bool = False, phone: bool = False) -> None:
        """Choose the size of the window, and whether it is dark."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def network(self, *, offline: bool = False, latency: int = 0) -> None:
        """Make the network slow, or cut it."""
        self.driver.execute_cdp_cmd("Network.enable", {})
        wanted = {"offline": offline, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
        self.driver.execute_cdp_cmd("Network.emulateNetworkConditions", wanted)

    def begin(self, token: str | None = None) -> None:
        """Open the console anew as nobody, and sign in with a token."""
        self.network()
        self.look()
        self.driver.get(self.url)
        self.driver.execute_script("sessionStorage.clear()")
        self.driver.get("about:blank")
        self.driver.get(self.url)
        self.find("#token")
        if token is not None:
            self.type("#token", token + "\n")
            self.find(".card")

    def go(self, place: str) -> None:
        """Go to a page of the console."""
        self.driver.execute_script("location.hash = arguments[0]", f"#/{place}")

    def find(self, selector: str, text: str | None = None) -> Any:  # noqa: ANN401
        """The first element that matches and shows a text, as soon as it is there: after a redraw anew."""
        found = self._look(selector, text, self.failures())
        if found is None:  # an error came while we waited, and is not what we waited for
            raise AssertionError(
                f"{selector} with {text!r} is not on the page, which says {self.failures()}; see"
                f" {self._keep('not-found', Path(mkdtemp()))}"
            )
        return _lasting(found, lambda: self.find(selector, text))

    def _look(self, selector: str, text: str | None, failed: list[str]) -> Any:  # noqa: ANN401
        """Let the page look until there is something; None for an error that was not there before."""
        from selenium.common.exceptions import (
            JavascriptException,
            StaleElementReferenceException,
            TimeoutException,
        )

        while True:
            try:
                return self.driver.execute_async_script(_SHOWN + _LOOK, selector, text, failed)
            except TimeoutException:
                return None
            except (JavascriptException, StaleElementReferenceException):  # another page came
                continue

    def failures(self) -> list[str]:
        """The errors that the page shows."""
        return list(self.driver.execute_script(f"{_SHOWN} return bad();"))

    def type(self, selector: str, text: str) -> None:
        """Type into an element instead of what is there."""
        element = self.find(selector)
        element.clear()
        element.send_keys(text)

    def press(self, *keys: str) -> None:
        """Press keys wherever the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        held = {Keys.CONTROL, Keys.ALT, Keys.SHIFT}
        actions = ActionChains(self.driver)
        for key in keys:
            (actions.key_down if key in held else actions.send_keys)(key)
        for key in keys:
            if key in held:
                actions.key_up(key)
        actions.perform()

    @property
    def text(self) -> str:
        """All that is shown."""
        return str(self.driver.execute_script("return document.body.innerText"))

    @property
    def focused(self) -> str:
        """What the focused element is called by those who listen to the page."""
        script = (
            "const e = document.activeElement; return e.getAttribute('aria-label') || e.innerText || e.id"
        )
        return str(self.driver.execute_script(script))

    def problems(self) -> list[str]:
        """What the browser complained of since it was last asked, but for refusals of the server."""
        lines = [entry["message"] for entry in self.driver.get_log("browser")]
        return [line for line in lines if "Failed to load resource" not in line]

    def picture(self, name: str) -> None:
        """Keep a picture of the whole page, if somebody wants any."""
        if self.pictures is not None:
            self._keep(name, self.pictures)

    def _keep(self, name: str, folder: Path) -> Path:
        found = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True})
        path = folder / f"{name}.png"
        path.write_bytes(base64.b64decode(found["data"]))
        return path
