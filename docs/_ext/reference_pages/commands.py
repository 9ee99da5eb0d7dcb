"""One page a command: how it is called, what each option does, examples, exit codes, keys of its JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from inspect import getdoc
from pathlib import Path
from typing import Any

from typer.main import get_command

from noiseless.cli import main as command_line
from reference_pages.text import (
    DOCS,
    code,
    fenced,
    manual,
    page,
    plain,
    section_about,
    table,
    toctree,
)

FOLDER = "commands"

MANUALS: Mapping[str, str] = {
    "attack": "attacks.md",
    "attack binary-search": "attack-differencing.md",
    "dataset": "curator.md",
    "demo": "audit.md",
    "frontier": "release.md",
    "query": "curator.md",
    "reproduce": "gallery.md",
    "rules": "rules.md",
    "serve": "server.md",
    "tables": "published-tables.md",
    "tables check": "tables-over-time.md",
    "tables protect": "protect-tables.md",
    "token": "server.md",
    "": "install.md",
}
"""The hand-written page of a command that has not the command's name."""

JSON_KEYS: Mapping[str, list[str]] = json.loads(
    (Path(__file__).with_name("json_keys.json")).read_text("utf-8")
)
"""The keys that each command prints with `--format json`; a test runs the commands and compares."""

_ALWAYS = {
    "0": "done",
    "2": "the request is wrong; one line on stderr says how to mend it",
    "3": "a failure inside, or interrupted",
}


def commands() -> Iterator[tuple[str, Any]]:
    """All commands, each after the one that it stands below, with the words that call it."""
    root = get_command(command_line.application())
    waiting = [("", root)]
    while waiting:
        words, command = waiting.pop(0)
        yield words, command
        waiting[:0] = [(f"{words} {name}".strip(), below) for name, below in _below(command).items()]


def pages() -> dict[str, str]:
    """All pages, by their path."""
    return {
        path_of(words): _root(command) if not words else _page(words, command)
        for words, command in commands()
    }


def path_of(words: str) -> str:
    """Where the page of a command is."""
    return f"{FOLDER}/{words.replace(' ', '-') or 'index'}"


def manual_of(words: str) -> str:
    """The hand-written page about a command."""
    for name in (words, words.split(" ", maxsplit=1)[0]):
        known = MANUALS.get(name)
        same = f"{name.replace(' ', '-')}.md"
        if known or (DOCS / same).is_file():
            return known or same
    raise LookupError(f"no page of docs/ is about noiseless {words}: name one in MANUALS of {__name__}")


def help_parts(command: Any) -> tuple[str, list[str]]:  # noqa: ANN401 - a class that typer keeps to itself
    """What a command's help says, and the commands that it shows as examples."""
    says, _, shown = re.sub(r"\f.*", "", command.help or "", flags=re.DOTALL).partition("\nExample")
    examples = [" ".join(part.split()) for part in re.split(r"\n\s*\n", shown)[1:]]
    return says.strip(), [example for example in examples if example]


def options(command: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    """A command's parameters, each with how it is written."""
    for parameter in command.params:
        if not parameter.hidden:
            yield _written(parameter), parameter


def exit_codes(command: Any) -> dict[str, str]:  # noqa: ANN401
    """The exit codes and what they mean; what 1 means, and perhaps others, the docstring's `Returns` says."""
    doc = getdoc(command.callback) or ""
    _, _, told = doc.partition("Returns:\n")
    own = re.findall(r"\b(\d) (?:when|if) (.*?)(?=; \d|\.?$)", " ".join(told.split("\n\n")[0].split()))
    return dict(sorted((_ALWAYS | dict(own)).items()))


def _below(command: Any) -> dict[str, Any]:  # noqa: ANN401
    return getattr(command, "commands", {})


def _written(parameter: Any) -> str:  # noqa: ANN401
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()) + ("..." if parameter.nargs == -1 else "")
    return names if parameter.is_flag else f"{names} {_value(parameter)}"


def _value(parameter: Any) -> str:  # noqa: ANN401
    """What follows an option."""
    if parameter.metavar:
        return str(parameter.metavar)
    return "|".join(_choices(parameter)) or _kind(parameter)


def _choices(parameter: Any) -> list[str]:  # noqa: ANN401
    described = parameter.type_descriptor
    return (
        [str(getattr(each, "value", each)) for each in (described.choices or ())]
        if described.is_choice
        else []
    )


def _kind(parameter: Any) -> str:  # noqa: ANN401
    annotation = parameter.type_descriptor.annotation
    return {int: "N", float: "NUMBER"}.get(annotation, "TEXT")


def _default(parameter: Any) -> str:  # noqa: ANN401
    default = parameter.default
    if default is None or default is False or callable(default) or default in ((), [], ""):
        return ""
    return code(parameter.opts[0] if default is True else getattr(default, "value", default))


def _meaning(parameter: Any) -> str:  # noqa: ANN401
    """What a parameter does, whether it must be given and how often, and what it is otherwise."""
    default = _default(parameter)
    return " ".join(
        [
            plain(parameter.help or ""),
            *(["**Required.**"] if parameter.required and parameter.param_type_name == "option" else []),
            *(["Repeatable."] if parameter.multiple else []),
            *([f"Default: {default}."] if default else []),
        ]
    )


def _usage(words: str, command: Any) -> str:  # noqa: ANN401
    named = [written for written, each in options(command) if each.param_type_name == "argument"]
    more = ["COMMAND"] if _below(command) else []
    return " ".join([f"noiseless {words}".strip(), *named, *more, "[OPTIONS]"])


def _root(command: Any) -> str:  # noqa: ANN401
    says, examples = help_parts(command)
    first = _below(command)
    return page(
        "Commands",
        plain(says),
        fenced("sh", [_usage("", command)]),
        table(("command", "what it does"), ((_link(name), _summary(below)) for name, below in first.items())),
        _options(command),
        _examples(examples),
        f"Shell completion is explained in {manual('install.md', 2, 'shell-completion')}.",
        toctree(name for name in first),
    )


def _page(words: str, command: Any) -> str:  # noqa: ANN401
    says, examples = help_parts(command)
    about = manual_of(words)
    own = about == f"{words.replace(' ', '-')}.md"
    anchor = None if own else section_about(about, f"noiseless {words}")
    below = _below(command)
    rows = ((_link(f"{words} {name}"), _summary(each)) for name, each in below.items())
    return page(
        f"noiseless {words}",
        plain(says),
        f"Explained, with what it prints, in {manual(about, 2, anchor)}.",
        fenced("sh", [_usage(words, command)]),
        table(("command", "what it does"), rows),
        "" if below else _arguments(command) + "\n\n" + _options(command),
        _examples(examples),
        "" if below else "## Exit codes\n\n" + table(("code", "meaning"), exit_codes(command).items()),
        _json(words, about),
        toctree(f"{words}-{name}" for name in below) if below else "",
    )


def _link(words: str) -> str:
    return f"[`{words}`]({path_of(words).removeprefix(f'{FOLDER}/')}.md)"


def _summary(command: Any) -> str:  # noqa: ANN401
    return plain(help_parts(command)[0].split("\n\n")[0])


def _arguments(command: Any) -> str:  # noqa: ANN401
    named = [(name, each) for name, each in options(command) if each.param_type_name == "argument"]
    return table(("argument", "meaning"), ((code(name), _meaning(each)) for name, each in named))


def _options(command: Any) -> str:  # noqa: ANN401
    named = [(name, each) for name, each in options(command) if each.param_type_name == "option"]
    rows = ((code(name), _meaning(each)) for name, each in named)
    return "## Options\n\n" + table(("option", "meaning"), rows) if named else ""


def _examples(examples: list[str]) -> str:
    return "## Examples\n\n" + "\n\n".join(fenced("sh", [each]) for each in examples) if examples else ""


def _json(words: str, about: str) -> str:
    keys = JSON_KEYS.get(words)
    if not keys:
        return ""
    anchor = section_about(about, "JSON", headings_only=True)
    return (
        f"## Keys of the JSON\n\nWhat `--format json` prints, `[]` for the items of a list; what each key"
        f" means is said in "
        f"{manual(about, 2, anchor)}.\n\n" + fenced("text", keys)
    )
