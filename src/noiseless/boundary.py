"""Where a user's arguments enter: what goes wrong because of one is said in one line that names it.

Errors name options as the command line spells them (`--missing drop`); here they become the arguments of the
function that was called (`missing="drop"`).

What the package exports is guarded: functions, constructors and class methods, which nobody reaches without
naming them. Methods of objects and operators are as they are written. Nothing is checked while all goes well.
When a public function fails, its arguments are held against their types; those of constructors, which would
take anything and fail later, in any case.
"""

import inspect
import linecache
import re
import sys
import traceback
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, Self

from noiseless.errors import NoiselessError, RequestError

_FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, RuntimeError)
_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    bytes: "bytes",
    type(None): "None",
}


_FULFILLED = {"SizedRange": "a JointRange or a ContinuousRange"}
"""What fulfils a protocol, in words."""

_MEANT = {
    "k": ("min_rows", "k_anonymity"),
    "l": ("min_posterior",),
    "y": ("sensitive",),
    "target": ("sensitive",),
    "quasi_identifiers": ("public",),
    "columns": ("public",),
    "epsilon": ("bits", "budget"),
}
"""What other libraries call some arguments."""

_RULES = frozenset({"threshold", "p_percent", "q_percent", "dominance", "coalition"})
"""Options that functions take together, as `rules`."""

_OF_TABLES = frozenset({"encoding", "separator", "decimal", "date_format", "sheet"})
"""How a file is read: arguments of `open_table`, whatever is done with the table."""

_OPTION = re.compile(
    r"--([a-z]+(?:-[a-z]+)*)"
    r"(?:( +|=)(LO HI\b|\w+=[.,](?=[)\s]|$)|[^\s;()']*'[^']*'|[^\s;()]*[^\s;().,]|,(?= )))?"
)
"""An option of the command line in a message, and the word after it, which may be its value."""

_ARRAYS = ("ndarray", "Series", "Array", "ChunkedArray")


class ArgumentError(RequestError, TypeError, ValueError):
    """An argument of a public function is not what the function takes."""


@cache
def guarded(thing: Any, name: str) -> Any:  # noqa: ANN401 - a function or a class
    """A public function that names the argument at fault; a class whose constructors do."""
    if not isinstance(thing, type):
        found = _guard(thing, name)
        found.__module__, found.__qualname__ = "noiseless", name
        return found
    if not issubclass(thing, BaseException) and not hasattr(thing, "__sklearn_tags__"):  # which fit checks
        for one in thing.__mro__:
            if one.__module__.startswith("noiseless"):
                _guard_constructors(one, name)
    return thing


def _guard_constructors(thing: type, name: str) -> None:
    """The package itself calls them unguarded: what is wrong then is no argument of the user's."""
    makers = [
        f"{name}.{key}"
        for key, member in inspect.getmembers(thing, inspect.ismethod)
        if not key.startswith("_") and member.__func__.__annotations__.get("return") in (thing.__name__, Self)
    ]
    for key, member in list(vars(thing).items()):
        plain = getattr(member, "__func__", member)
        if hasattr(plain, "__wrapped__"):
            continue
        if key == "__init__" and isinstance(member, types.FunctionType):
            setattr(thing, key, _unless_ours(plain, _guard(plain, name, makers, eager=True)))
        elif isinstance(member, classmethod | staticmethod) and not key.startswith("_"):
            setattr(thing, key, type(member)(_unless_ours(plain, _guard(plain, f"{name}.{key}"))))


def _unless_ours(function: Callable[..., Any], guard: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - those of the function
        caller = sys._getframe(1).f_globals.get("__name__", "")  # noqa: SLF001 - as warnings find theirs
        ours = caller.startswith(("noiseless.", "dataclasses"))
        return function(*args, **kwargs) if ours else guard(*args, **kwargs)

    return call


def _guard(
    function: Callable[..., Any], name: str, makers: Sequence[str] = (), *, eager: bool = False
) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - those of the function
        try:
            found = function(*args, **kwargs)
        except NoiselessError as error:
            error.args = tuple(
                _in_python(said, function) if isinstance(said, str) else said for said in error.args
            )
            raise
        except _FAULTS as error:
            if _is_of_a_function_given(error, (*args, *kwargs.values())):
                raise
            _check(function, name, makers, args, kwargs)
            if not _is_said(error):
                help_on = f"help(noiseless.{name}) says what it takes"
                raise ArgumentError(f"{name} cannot be computed from these; {help_on}") from error
            raise
        if eager:
            _check(function, name, makers, args, kwargs)
        return found

    return call


def _is_of_a_function_given(error: BaseException, arguments: Iterable[object]) -> bool:
    """Whether an error comes from a function of the user's, who knows best what it says."""
    codes = {getattr(argument, "__code__", None) for argument in arguments} - {None}
    return any(frame.f_code in codes for frame, _ in traceback.walk_tb(error.__traceback__))


def _is_said(error: BaseException) -> bool:
    """Whether an error was raised on purpose, by a line of the package that says so."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    ours = trace.tb_frame.f_globals.get("__name__", "").startswith("noiseless.")
    return ours and linecache.getline(code.co_filename, trace.tb_lineno).lstrip().startswith("raise ")


def _in_python(said: str, function: Callable[..., Any]) -> str:
    """A message whose options are written as arguments of a function, where it has them."""
    known = _annotations(function)

    def argument(found: re.Match[str]) -> str:
        name, between, word = found[1].replace("-", "_"), found[2] or "", found[3] or ""
        if name in _RULES and "rules" in known:
            value, rest = (word, "") if word.isdecimal() else ("...", between + word)
            return f'rules={{"{name}": {value}}}{rest}'
        if name not in known and name not in _OF_TABLES:
            return found[0]
        hint = known.get(name, str)
        is_name = said[found.end() :].startswith((")", " to ", f", {found[1]} = "))
        value = _value_in_python(word, hint) or (f'"{word}"' if is_name and word else None)
        told = name if value is None else f"{name}={value}"
        told = f"nl.open_table(FILE, {told})" if name not in known else told
        return told + (between + word if word and (value is None or value == "True") else "")

    return _OPTION.sub(argument, said)


def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of a function's arguments; what it hands on is a request for a release."""
    known = {name: _hint(function, name) for name in inspect.signature(function).parameters}
    if "options" in known:
        from noiseless.releases import release

        known |= {name: _hint(release, name) for name in inspect.signature(release).parameters}
    return known


def _value_in_python(word: str, hint: Any) -> str | None:  # noqa: ANN401 - any type
    """The value of an option as Python writes it; None for a word that is none."""
    column, _, value = word.partition("=")
    if hint is bool:
        return "True"
    if word == "LO HI":
        return "(LO, HI)"
    if value and _is_mapping(hint):
        span = re.fullmatch(r"(\d+):(\d+)", value)
        name = value.strip("'")
        quoted = f'"{name}"' if name != value else _value_in_python(value, str)
        shown = f"({span[1]}, {span[2]})" if span else quoted
        return f'{{"{column}": {shown}}}'
    if re.fullmatch(r"[A-Z]+(,[A-Z]+)*|\d[\d.]*", word):
        return f"[{', '.join(map(repr, word.split(',')))}]" if "," in word else word
    if value or word in _choices(hint) or (hint is str and word):
        bare = word.strip("'")
        return f'"{bare}"'
    return None


def _is_mapping(hint: Any) -> bool:  # noqa: ANN401 - any type
    kind = typing.get_origin(hint) or hint
    return (isinstance(kind, type) and issubclass(kind, Mapping)) or any(
        map(_is_mapping, typing.get_args(hint))
    )


def _choices(hint: Any) -> set[Any]:  # noqa: ANN401 - any type
    inner = typing.get_args(hint)
    return set(inner) if typing.get_origin(hint) is typing.Literal else set().union(*map(_choices, inner))


def _tried(makers: Sequence[str]) -> str:
    """Constructors that take something else."""
    return "try " + " or ".join(filter(None, [", ".join(makers[:-1]), makers[-1]]))


def _remedy(
    signature: inspect.Signature,
    name: str,
    makers: Sequence[str],
    args: Sequence[Any],
    kwargs: Collection[str],
) -> str:
    """What to do about arguments that a function does not take."""
    help_on = f"help(noiseless.{name}) says what it takes"
    if makers:
        return f"{_tried(makers)}; {help_on}"
    known = list(signature.parameters)
    kinds = [one.kind for one in signature.parameters.values()]
    for strange in [one for one in kwargs if one not in known]:
        if strange in _OF_TABLES and "table" in known:
            return f"write nl.{name}(nl.open_table(FILE, {strange}=...), ...)"
        if strange in _RULES and "rules" in known:
            return f'write rules={{"{strange}": ...}}'
        meant = [one for one in _MEANT.get(strange, ()) if one in known]
        if close := meant[:1] or get_close_matches(strange, known, n=1):
            return f"did you mean {close[0]}? {help_on}"
    places = sum(kind is not kind.KEYWORD_ONLY for kind in kinds)
    if len(args) > places and places < len(known):
        named = f"{name}({', '.join([*known[:places], f'{known[places]}=...'])})"
        return f"write {named}; {help_on}"
    return help_on


def _check(
    function: Callable[..., Any],
    name: str,
    makers: Sequence[str],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> None:
    """Raise if an argument is not of its type.

    Raises:
        ArgumentError: one is not; or there are too many, or too few.
    """
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise ArgumentError(f"{name}: {error}; {_remedy(signature, name, makers, args, kwargs)}") from None
    for parameter, value in given.items():
        hint = _hint(function, parameter)
        kind = signature.parameters[parameter].kind
        values = (
            value if kind is kind.VAR_POSITIONAL else value.values() if kind is kind.VAR_KEYWORD else [value]
        )
        if not all(_fits(each, hint) for each in values):
            instead = f"; {_tried(makers)}" if makers else ""
            raise ArgumentError(f"{name}: {parameter} is {_described(hint)}, not {_named(value)}{instead}")


@cache
def _hint(function: Callable[..., Any], parameter: str) -> Any:  # noqa: ANN401 - any type
    """The type of a parameter; anything, where it is not known at run time."""
    written = function.__annotations__.get(parameter, Any)
    if not isinstance(written, str):
        return written
    try:
        return eval(written, function.__globals__)  # noqa: S307 - an annotation of ours
    except NameError:
        return Any


def _fits(value: Any, hint: Any) -> bool:  # noqa: ANN401 - anything, and any type
    """Whether a value is of a type, as far as that can be seen."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is typing.Literal:
        return any(type(value) is type(one) and value == one for one in inner)
    if origin is typing.Annotated or hint is None:
        return _fits(value, inner[0] if inner else type(None))
    kind = origin or hint
    if kind in (Any, object) or not isinstance(kind, type):
        return True
    return _is_a(value, kind, inner)


def _is_a(value: Any, kind: type, inner: tuple[Any, ...]) -> bool:  # noqa: ANN401 - anything
    """Whether a value is of a class, and what it holds of others; arrays are as good as lists."""
    if getattr(kind, "_is_protocol", False):
        asked = [name for name, member in vars(kind).items() if callable(member) and name[:3] != "__i"]
        return not kind.__module__.startswith("noiseless") or all(hasattr(value, name) for name in asked)
    kind = {float: Real, int: Integral}.get(kind, kind)
    if isinstance(value, str) and inner:  # no list of texts, though its letters are
        return False
    if isinstance(value, kind):
        return _holds(value, kind, inner)
    return _is_array(value) and kind in (Sequence, Iterable, Collection)


def _holds(value: Any, kind: type, inner: tuple[Any, ...]) -> bool:  # noqa: ANN401 - a container
    """Whether what is in a container is of its types; an iterator is not used up."""
    if not inner or not isinstance(value, Collection) or _is_array(value):
        return True
    if isinstance(value, Mapping):
        return all(_fits(key, inner[0]) and _fits(one, inner[-1]) for key, one in value.items())
    if kind is tuple and inner[-1] is not Ellipsis:
        return len(value) == len(inner) and all(map(_fits, value, inner))
    return not issubclass(kind, Sequence | set | frozenset | Iterable) or all(
        _fits(one, inner[0]) for one in value
    )


def _is_array(value: object) -> bool:
    return type(value).__name__ in _ARRAYS


def _described(hint: Any) -> str:  # noqa: ANN401 - any type
    """A type in words."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    kind = origin or hint
    if origin in (typing.Union, types.UnionType):
        return " or ".join(dict.fromkeys(_described(one) for one in inner))
    if origin is typing.Literal:
        return f"one of {', '.join(map(repr, inner))}"
    if hint in _WORDS:
        return _WORDS[hint]
    if getattr(kind, "__name__", "") in _FULFILLED:
        return _FULFILLED[kind.__name__]
    if inner and isinstance(kind, type) and issubclass(kind, Iterable) and not _is_array_kind(kind):
        each = "" if inner[0] is Any else f" ({_described(inner[0])} each)"
        return "a dictionary" if issubclass(kind, Mapping) else f"a list{each}"
    return _with_article("array" if _is_array_kind(kind) else getattr(kind, "__name__", str(kind)))


def _is_array_kind(kind: Any) -> bool:  # noqa: ANN401 - any type
    return getattr(kind, "__name__", "") in _ARRAYS


def _with_article(noun: str) -> str:
    return f"{'an' if noun[:1] in 'AEIOUaeiou' else 'a'} {noun}"


def _named(value: object) -> str:
    """What somebody gave instead; never the value itself."""
    kind = _WORDS.get(type(value)) or _with_article(type(value).__name__)
    if not isinstance(value, list | tuple) or not value:
        return kind
    inner = sorted({_WORDS.get(type(one)) or _with_article(type(one).__name__) for one in value})
    return f"{kind} that holds {' and '.join(inner)}"
