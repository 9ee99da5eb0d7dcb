"""The templates of the pages, and how they write numbers and users' texts."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from noiseless.display import bound_text, counted, printable, verb
from noiseless.reports.drawing import XMLNS
from noiseless.reports.numbers import kept_text, length_text, share_text, upper_text, value_text


@cache
def environment() -> Environment:
    """All templates; what they put into a page is escaped, and what they do not know is an error."""
    environment = Environment(
        loader=PackageLoader("noiseless.reports"),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bits": lambda bits: bits.rounded_up(2),
        "count": "{:,}".format,
        "counted": counted,
        "floor": lambda value: bound_text(value, 2, up=False),
        "kept": kept_text,
        "distance": length_text,
        "share": share_text,
        "shown": shown,
        "upper": upper_text,
        "values": lambda count: counted(count, "values"),
        "verb": verb,
    }
    return environment


def _visible(value: object) -> object:
    """Texts without characters that steer a terminal or turn a line around."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def shown(value: object) -> Markup:
    """A name or value of the user's, kept from turning the text around it."""
    return Markup("<bdi>{}</bdi>").format(value_text(value))


def inline(svg: str | None) -> Markup | None:
    """A plot as part of the page; its texts are escaped already."""
    return None if svg is None else Markup(svg.replace(XMLNS, ""))  # noqa: S704 - drawn by this package
