"""What the documentation lacks: each function lists it, so that a test can show that it would be found."""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from inspect import getdoc
from typing import Any

OPERATORS = {"|", ">", "||", "&&", ";"}


def is_code(name: str, page: str) -> bool:
    """Whether a page has a name as code, by itself or at the start of it (`--html OUT`)."""
    return re.search(rf"`{re.escape(name)}[` ]", page) is not None


def mentions(name: str, page: str) -> bool:
    """Whether a page has an option, not as part of a longer one."""
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", page) is not None


def option_names(command: Any) -> Iterator[str]:  # noqa: ANN401 - a class that typer keeps to itself
    for parameter in command.params:
        yield from (name for name in (*parameter.opts, *parameter.secondary_opts) if name[0] == "-")


def unmentioned_options(words: str, options: Iterable[str], pages: Collection[str]) -> list[str]:
    """Options that no page with the command on it has."""
    about = [page for page in pages if f"noiseless {words}".strip() in page]
    return [option for option in options if not any(mentions(option, page) for page in about)]


def unexplained_options(command: Any) -> list[str]:  # noqa: ANN401
    """Parameters without a word of help."""
    return [parameter.name for parameter in command.params if not (parameter.help or "").strip()]


def unlisted_options(options: Iterable[str], page: str) -> list[str]:
    """Options without a row in the table of the command's own page."""
    rows = "\n".join(line for line in page.splitlines() if line.startswith("| `-"))
    return [option for option in options if not mentions(option, rows)]


def described(pages: Iterable[str]) -> Counter[str]:
    """How often each object has a directive."""
    found = re.compile(r"^\.\. auto(?:function|class|exception|data):: ([\w.]+)", re.MULTILINE)
    return Counter(name for page in pages for name in found.findall(page))


def undescribed(names: Iterable[str], pages: Iterable[str]) -> list[str]:
    """Names that have not exactly one directive."""
    counts = described(pages)
    return [name for name in names if counts[name] != 1]


def without_page(names: Iterable[str], folder: str, pages: Collection[str]) -> list[str]:
    """Names without a page of their own in a folder."""
    return [name for name in names if f"{folder}/{name}" not in pages]


def thin(object_: object, section: str) -> list[str]:
    """What a docstring lacks: words, an example that runs, a section."""
    doc = getdoc(object_) or ""
    prose = [part for part in doc.split("\n\n") if not re.match(r">>>|\w+:\n", part)]
    return [
        *(["words"] if sum(map(len, prose)) < 60 else []),
        *(["an example"] if ">>>" not in doc else []),
        *([section] if f"\n{section}:\n" not in doc else []),
    ]


def undocumented_keys(keys: Iterable[str], pages: Iterable[str]) -> list[str]:
    """The last parts of keys that are code on none of the pages."""
    text = "\n".join(pages)
    last = {key.split(".")[-1].replace("[]", "") for key in keys} - {"*"}
    return sorted(key for key in last if not is_code(key, text))


def changed_keys(found: Mapping[str, list[str]], written: Mapping[str, list[str]]) -> list[str]:
    """Keys that are printed and not written down, or the other way round."""
    pairs = {(words, key) for words, keys in found.items() for key in keys}
    known = {(words, key) for words, keys in written.items() for key in keys}
    return sorted(f"{words}: {key}" for words, key in pairs ^ known)


def unlisted_endpoints(endpoints: Iterable[tuple[str, str]], page: str) -> list[str]:
    """Endpoints without a row in the table of a page, whatever a part in braces is called there."""
    listed = {re.sub(r"\{\w+\}", "{}", row) for row in re.findall(r"^\| `(\w+ /[^`?]*)", page, re.MULTILINE)}
    return [f"{m} {path}" for m, path in endpoints if re.sub(r"\{\w+\}", "{}", f"{m} {path}") not in listed]


def refused_example(root: Any, example: str) -> str | None:  # noqa: ANN401
    """Why the command line would not take an example of the help; None if it would."""
    words = shlex.split(example, posix=True)
    words = words[words.index("noiseless") + 1 :]
    end = next((number for number, word in enumerate(words) if word in OPERATORS), len(words))
    command, rest = root, words[:end]
    while rest and rest[0] in getattr(command, "commands", {}):
        command, rest = command.commands[rest[0]], rest[1:]
    if "--help" in rest:
        return None
    if rest and getattr(command, "commands", {}):
        return f"{example}: there is no command {rest[0]}"
    try:
        command.make_context("noiseless", rest)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what a user would meet
        return f"{example}: {error}"
    return None
