"""How `--help` is laid out: within 78 columns, long examples continued as a shell takes them."""

import re
from collections.abc import Iterator
from typing import Any

from typer import Context

_WIDTH = 78
_WIDEST = 18
"""The longest list of choices that stands beside its option; longer ones stand in its help."""
_WORD = re.compile(r"""(?:[^\s"']|"[^"]*"|'[^']*')+""")
_VALUES = {"<str>": "NAME", "<int>": "N", "<int range>": "N", "<float>": "X", "<float range>": "X"}
_COMPLETION = ("install_completion", "show_completion")
"""Explained on the page about installing, where they are needed once."""


def lay_out(command: Any) -> Any:  # noqa: ANN401 - a class that typer keeps to itself
    """The same command and those below it, with help that is easy to read."""
    prose, title, examples = re.split(r"^(Examples?:)$", command.help or "", maxsplit=1, flags=re.MULTILINE)
    shown = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", prose.strip())]
    lines = [line for one in re.split(r"\n\s*\n", examples.strip()) for line in _continued(one)]
    command.help = "\n\n".join([*shown, "\n".join([title, *lines])])
    context = Context(command)
    for parameter in command.get_params(context):
        if parameter.param_type_name == "option":
            parameter.hidden = parameter.hidden or parameter.name in _COMPLETION
            _lay_out_option(parameter, parameter.display_type(context) or "")
        else:
            parameter.display_type_rich = lambda **_: None  # "<list[str]>" says nothing of what is typed
    for below in getattr(command, "commands", {}).values():
        lay_out(below)
    return command


def _lay_out_option(option: Any, kind: str) -> None:  # noqa: ANN401 - as above
    """What stands between the name of an option and its help is short, and nothing is said twice."""
    option.metavar = "" if option.is_flag else option.metavar or _VALUES.get(kind)
    choices = kind.removeprefix("<").removesuffix(">").removeprefix("list[").removesuffix("]").split("|")
    if option.metavar is None and len(choices) > 1 and len(kind) > _WIDEST:
        option.metavar = option.opts[0].strip("-").rpartition("-")[2].upper()
        if not all(choice in option.help for choice in choices):
            option.help = f"{option.help.rstrip('.')}: {', '.join(choices[:-1])} or {choices[-1]}."
    if "default" in (option.help or ""):
        option.show_default = False


def _continued(example: str) -> Iterator[str]:
    """The lines of an example: broken before an option or a quoted text, each option beside its value."""
    words = _WORD.findall(example)
    first, *others = words
    parts = [first]
    for before, word in zip(words, others, strict=False):
        if word.startswith("-") or (word[0] in "\"'" and not before.startswith("-")):
            parts.append(word)
        else:
            parts[-1] += f" {word}"
    line, *rest = parts
    for part in rest:
        if len(f"{line} {part} \\") > _WIDTH:
            yield f"{line} \\"
            line = f"    {part}"
        else:
            line += f" {part}"
    yield line
