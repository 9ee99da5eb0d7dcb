"""A question about a group of people, as far as its price needs to know it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import pairwise

from noiseless.errors import ColumnError, RequestError
from noiseless.questions.influence import Images, Influence, Positions, Slide
from noiseless.ranges.spans import Span

_MOST_LISTED = 2**20


class Query(ABC):
    """A question with a number for an answer, asked about `people` persons; who they are is public.

    Nothing here looks at data: this is what its price depends on.
    """

    people: int
    """How many persons (or rows, with several a person) take part."""

    @property
    @abstractmethod
    def span(self) -> Span:
        """The values that the answer can take."""

    @property
    @abstractmethod
    def influences(self) -> Sequence[Influence | Images | Slide]:
        """What each kind of person can do to the answer."""

    @property
    def attainable(self) -> Positions | None:
        """The positions of the span that an answer can really be at; None when all of them may be."""
        return None

    @property
    def listed(self) -> int:
        """How many positions are listed, at most, to say what people can do; known before they are."""
        return 0

    @property
    @abstractmethod
    def attribute_name(self) -> str:
        """The private attribute that the answer depends on."""

    @property
    @abstractmethod
    def pieces(self) -> int | None:
        """Into how many monotone pieces the answer falls as one person's attribute ascends.

        1: it only rises or only falls; 2: it goes up, then down (or down, then up); None: unknown.
        """

    @property
    def filtered_elsewhere(self) -> bool:
        """Whether it also depends on another private attribute, which decides which rows count."""
        return False


class CountedQuery(Query):
    """A question whose answer depends only on how many rows have each value."""

    @abstractmethod
    def position(self, counts: Mapping[int, int]) -> int:
        """The exact answer, as its position on the span, given how many rows have each number."""


def require_people(people: int) -> None:
    """Check the size of a group.

    Raises:
        RequestError: it is empty.
    """
    if people < 1:
        raise RequestError("nobody takes part; a group has at least one person")


def require_listable(name: str, size: int) -> None:
    """Check that a column's values can be looked at one by one, as private filters and histograms do.

    Raises:
        ColumnError: they are too many.
    """
    if size > _MOST_LISTED:
        raise ColumnError(
            name,
            f"has {size:,} values, too many for private filters and histograms;"
            f" declare a coarser step, with at most {_MOST_LISTED:,}",
        )


def monotone_pieces(values: Sequence[int]) -> int:
    """Into how many rising or falling pieces a sequence falls; a flat one is one piece.

    >>> monotone_pieces([0, 1, 1, 3]), monotone_pieces([0, 1, 1, 0]), monotone_pieces([0, 1, 0, 1])
    (1, 2, 3)
    """
    signs = [after > before for before, after in pairwise(values) if after != before]
    return 1 + sum(after != before for before, after in pairwise(signs))
