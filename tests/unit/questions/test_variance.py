"""What one person can do to a variance: from the definition, and at what it may take."""

from collections.abc import Iterable, Iterator
from itertools import combinations_with_replacement, product

import pytest

from noiseless.questions import Attribute, Images
from noiseless.questions import statistics as module
from noiseless.questions.base import Positions
from noiseless.questions.statistics import Variance


def spread(numbers: tuple[int, ...]) -> int:
    return len(numbers) * sum(n * n for n in numbers) - sum(numbers) ** 2


@pytest.mark.parametrize("numbers", [range(1), range(2), range(3), range(5), (0, 3, 7), (0, 1, 5, 6)])
@pytest.mark.parametrize("people", range(1, 7))
def test_images_are_those_of_all_datasets(numbers: Positions, people: int) -> None:
    images = {
        tuple(sorted({spread((*others, own)) for own in numbers}))
        for others in product(numbers, repeat=people - 1)
    }
    query = Variance(people, Attribute("x", numbers))
    assert query.influences == (Images(frozenset(images)),)
    assert tuple(query.attainable or ()) == tuple(sorted({p for image in images for p in image}))
    assert query.listed >= sum(map(len, images))


@pytest.mark.parametrize(("size", "people"), [(2, 5000), (3, 150), (40, 3), (5000, 1), (9, 7), (7, 9)])
def test_others_are_listed_in_few_numbers_each(
    monkeypatch: pytest.MonkeyPatch, size: int, people: int
) -> None:
    """However many people there are: their numbers are never added up one by one."""
    looked_at = 0

    def counted(numbers: Iterable[int], length: int) -> Iterator[tuple[int, ...]]:
        nonlocal looked_at
        for found in combinations_with_replacement(numbers, length):
            looked_at += len(found)
            yield found

    monkeypatch.setattr(module, "combinations_with_replacement", counted)
    query = Variance(people, Attribute("x", range(size)))
    assert isinstance(query.influences[0], Images)
    assert looked_at <= query.listed
