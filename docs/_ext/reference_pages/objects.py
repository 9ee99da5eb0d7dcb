"""What autodoc describes: which directive an object needs, and under which name it is public."""

from collections.abc import Mapping
from importlib import import_module
from inspect import getdoc, isclass, isroutine
from typing import Any

import noiseless
from reference_pages.text import directive, prose

MEMBERS: Mapping[str, tuple[str, ...]] = {
    "noiseless.Audit": (":members:", ":inherited-members:", ":exclude-members: measure"),
    "noiseless.audits.Exposure": (":members:", ":no-index:"),  # the curator's is the one that links mean
    "noiseless.Policy": (":members: read, check",),
    "noiseless.NoiselessReleaser": (":members: fit, transform, apply, get_feature_names_out",),
    "noiseless.Bits": (":members: upper, lower, rounded_up",),
    "noiseless.Nats": (":members: upper, lower",),
    "noiseless.JointRange": (
        ":members:",
        ":special-members: __len__",
        ":exclude-members: from_sorted, from_tally",
    ),
    "noiseless.Game": (":members: to_dict, plot, to_pandas, to_polars, to_arrow", ":inherited-members:"),
    "noiseless.attack": (":no-members:",),
    "noiseless.adversaries.Score": (":members: to_dict",),
    "noiseless.client.Reply": (":members:", ":inherited-members:"),
}
"""What is shown of a class where that is not simply its public members."""

CONSTRUCTED = {
    "noiseless.NoiselessReleaser",
    "noiseless.Bits",
    "noiseless.Nats",
    "noiseless.Policy",
    "noiseless.Schema",
}
"""Classes that are made by calling them, and not by functions and class methods alone."""


SIGNATURES: Mapping[str, str] = {
    "noiseless.leakage": "(joint: JointRange | ContinuousRange, given: ArrayLike = None) -> Bits | Nats"
}
"""Signatures that autodoc would spell out at length, once for each overload."""


def found(target: str) -> Any:  # noqa: ANN401 - whatever has the name
    """The object with a dotted name."""
    module, _, name = target.rpartition(".")
    return getattr(import_module(module), name)


def public_name(module: str, name: str) -> str:
    """The shortest name that a user can type: `noiseless.leakage`, not `noiseless.measures.leakage`."""
    homes: Mapping[str, str] = noiseless._HOMES  # noqa: SLF001 - this is what it is there for
    full = f"noiseless.{module}.{name}"
    same = name in homes and found(f"noiseless.{homes[name]}.{name}") is found(full)
    return f"noiseless.{name}" if same else full


def exported(module: str) -> list[str]:
    """What a package lists in `__all__`, or what is at the top from a module that lists nothing."""
    try:
        listed = getattr(import_module(f"noiseless.{module}"), "__all__", None)
    except ModuleNotFoundError:
        return []
    homes: Mapping[str, str] = noiseless._HOMES  # noqa: SLF001
    return list(listed) if listed is not None else [name for name, home in homes.items() if home == module]


def classes_of(module: str) -> list[str]:
    """The public classes that a module defines itself."""
    owner = import_module(f"noiseless.{module}")
    own = [name for name, each in vars(owner).items() if isclass(each) and each.__module__ == owner.__name__]
    return [name for name in own if not name.startswith("_")]


def exception(target: str) -> bool:
    """Whether a name is an error."""
    object_ = found(target)
    return isclass(object_) and issubclass(object_, BaseException)


def documented(target: str, *more: str) -> str:
    """The directive that describes an object."""
    object_ = found(target)
    options = MEMBERS.get(target, (":members:",)) if isclass(object_) else ()
    if exception(target):
        head, options = f".. autoexception:: {target}", (":show-inheritance:",)
    elif isclass(object_):
        head = f".. autoclass:: {target}{'' if target in CONSTRUCTED else '()'}"
    elif isroutine(object_):
        head = f".. autofunction:: {target}{SIGNATURES.get(target, '')}"
    else:
        head = f".. autodata:: {target}\n   :no-value:"
    return directive("\n".join([head, *(f"   {option}" for option in (*options, *more))]))


def summary(target: str) -> str:
    """The first line of what an object's docstring says."""
    return prose((getdoc(found(target)) or "").split("\n\n")[0].replace("\n", " "))
