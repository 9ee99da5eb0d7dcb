"""axe-core, which finds what keeps people from using a page; it is fetched for the tests and not shipped."""

import shutil
import subprocess
from pathlib import Path

import pytest

from console_site import Reader
from waiting import HANGS

AXE = "axe-core@4"


def fetch_axe(folder: Path) -> str:
    """The script, from the npm registry; the test is skipped where that cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm, which brings axe-core, is not installed")
    command = [npm, "pack", AXE, "--silent"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=HANGS, check=False)
    packed = list(folder.glob("axe-core-*.tgz"))
    if done.returncode or not packed:
        pytest.skip("axe-core cannot be had from the npm registry")
    shutil.unpack_archive(packed[0], folder, filter="data")
    return (folder / "package/axe.min.js").read_text()


def violations(reader: Reader, axe: str) -> list[str]:
    """What is moderately wrong with the present page, or worse."""
    script = (
        axe
        + """;
        const done = arguments[arguments.length - 1];
        const failed = (error) => done(String(error));
        axe.run({resultTypes: ["violations"]}).then((found) => done(found.violations), failed);"""
    )
    reader.driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})  # axe is no part of the page
    found = reader.driver.execute_async_script(script)
    assert isinstance(found, list), found
    serious = [each for each in found if each["impact"] in {"moderate", "serious", "critical"}]
    return [f"{each['id']}: {[node['html'][:120] for node in each['nodes']]}" for each in serious]
