"""Published tables in the ledger: each is checked with all before it, and recorded in the same chain.

A check needs no lock. When its table is recorded, in one transaction, the entries that it was checked with
must still be all there are; otherwise it is checked again. So of two tables that break a promise together one
is recorded at most, whatever runs at the same time, and what is killed has recorded its table or has not.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from noiseless.errors import RequestError
from noiseless.ledger.books import PUBLISHED, Books, OpenBooks, RecordedPublication
from noiseless.ledger.entries import canonical
from noiseless.ledger.errors import LedgerError, UnknownDatasetError
from noiseless.ledger.ledger import Ledger
from noiseless.ledger.location import locate, sqlite_path
from noiseless.tabulations.integer_program import Deadline
from noiseless.tabulations.promise import NOT_KNOWN, PublicationPromise
from noiseless.tabulations.publication import Publication
from noiseless.tabulations.reading import TabulationRequest
from noiseless.tabulations.succession import PromisedPublication, Succession, TableCheck
from noiseless.tabulations.union import PublicationPart
from noiseless.tabulations.waves import PopulationChange, Waves, linked

Heard = Callable[[Ledger, str, frozenset[str]], tuple[Publication | None, Sequence[str]]]
"""What else is known of a population: given its ledger, its name and the dimensions of all tables, a
publication and notes about it."""

NO_DATA = "published tables"
"""The digest of a population of which the ledger knows tables alone, and no data."""


def check_request(
    request: TabulationRequest,
    ledger: str | Path,
    *,
    population: str | None = None,
    quantity: str | None = None,
    at_least: int = NOT_KNOWN,
    secret: str | None = None,
    record: bool = False,
    published: bool = False,
    by: str = "owner",
    time_limit: float | None = None,
    heard: Heard | None = None,
) -> TableCheck:
    """Whether tables that were read may be published after all those that a ledger knows of their population.

    Args:
        request: the tables.
        ledger: a ledger's URL, a SQLite file, or a curator's file.
        population: whom the tables are about; their own file or the curator's file may say it.
        quantity: what sums are of.
        at_least: how many values every figure that is withheld or rounded must leave.
        secret: the dimension that people keep secret.
        record: record the tables if they break no promise.
        published: record them whatever the check finds.
        by: who publishes them.
        time_limit: seconds.
        heard: what else is known of the population, such as the answers of its curator.

    Raises:
        NoiselessError: something does not fit together; one line says what and where.
    """
    url, named = locate(str(ledger))
    name = population or request.population.id or named
    if not name:
        raise RequestError(
            'no population is named; add --population NAME, or write population = {id = "NAME"} in their file'
        )
    rules = dict(request.rules)
    declared = rules.pop("secret", None)
    request = request if quantity is None else replace(request, quantity=quantity)
    new = NewPublication(request, name, PublicationPromise(at_least, secret or declared, rules))
    path = sqlite_path(url)
    if path is not None and not path.exists() and not (record or published):
        raise RequestError(f"{ledger}: there is no ledger; --record begins one")
    with Ledger.open(url, create=record or published) as opened:
        while True:
            known = opened.read(Books.every_publication)
            after = [one.entry for one in known]
            dimensions = new.dimensions(known)
            said = (None, ()) if heard is None else heard(opened, name, dimensions)
            found = new.checked(known, Deadline.after(time_limit), *said)
            out = published and not found.inconsistent
            if not (out or (record and found.holds)):
                return found
            _declare(opened, name, by)
            entry = opened.settle(name, partial(_publish, new, by, after))
            if entry is not None:
                return replace(found, entry=entry)


def _publish(new: "NewPublication", by: str, after: Sequence[int], books: OpenBooks) -> int | None:
    return books.publish(new.digest, new.body, by=by, after=after)


def _declare(ledger: Ledger, population: str, by: str) -> None:
    """A population that the ledger does not know yet."""
    try:
        ledger.state(population, cells=(), analysts=())
    except UnknownDatasetError:
        ledger.declare(population, digest=NO_DATA, budget=None, by=by)


class NewPublication:
    """Tables that are to be published, as an entry will say them."""

    def __init__(self, request: TabulationRequest, population: str, promise: PublicationPromise) -> None:
        self.request, self.promise, self.population = request, promise, population
        own = request.population
        if own.after == population:
            raise RequestError(f"population {population!r} comes after itself; name the one before it")
        self.change = PopulationChange.of(own.after, population, own.joined, own.left) if own.after else None
        self.publication = replace(request.publication, population=population)
        self.body = {
            "publication": _compact(self.publication),
            "promise": promise.to_json(),
            "open_tables": sorted(request.open_tables),
            "quantity": request.quantity,
            "change": None if self.change is None else self.change.to_json(),
        }
        self.digest = hashlib.sha256(canonical(self.body).encode()).hexdigest()

    def dimensions(self, known: Sequence[RecordedPublication]) -> frozenset[str]:
        """The dimensions of these tables and of all that were published of the same population."""
        bodies = [self.body, *(one.body for one in known if one.population == self.population)]
        return frozenset(each["name"] for body in bodies for each in body["publication"]["classifications"])

    def checked(
        self,
        known: Sequence[RecordedPublication],
        deadline: Deadline,
        answers: Publication | None = None,
        notes_of: Sequence[str] = (),
    ) -> TableCheck:
        """Whether they may follow what is known, and what else is published of the same population."""
        own = f"{PUBLISHED}:{self.digest}"
        entry = next(
            (one.entry for one in known if (one.population, one.question) == (self.population, own)), None
        )
        earlier = [one for one in known if one.entry != entry]
        changes = list(dict.fromkeys([*_changes(earlier), *([self.change] if self.change else [])]))
        names = linked(self.population, changes)
        waves = Waves(names, changes) if len(names) > 1 else None
        same, notes = list[RecordedPublication](), list(notes_of)
        for one in earlier:
            if one.population in names and not one.is_present:
                notes.append(
                    f"entry {one.entry} is about an earlier version of the data of {one.population!r}: not "
                    "comparable, left out"
                )
            elif one.population in names and _quantity(one.body) == _quantity(self.body):
                same.append(one)
            elif one.population in names and "magnitude" == _quantity(one.body)[0] == _quantity(self.body)[0]:
                other = _quantity(one.body)[1] or "not named"
                notes.append(
                    f"entry {one.entry} is about another quantity, {other}, and left out; say --quantity, if "
                    "it is the same"
                )
        if self.change is not None and not self.change.is_comparable:
            notes.append(
                f"{self.population!r} and {self.change.before!r} are not comparable: nothing says how many "
                "joined or left"
            )
        parts = [_promised(one, waves) for one in same]
        part = PublicationPart(_placed(self.publication, waves), None, self.request.open_tables)
        if waves is not None and (changed := waves.known()) is not None:
            parts.insert(0, _open(changed))
        if answers is not None and self.publication.kind == "count":
            parts.insert(0, _open(_placed(replace(answers, population=self.population), waves)))
        found = Succession(
            parts, PromisedPublication(part, self.promise), self.request.recount, deadline
        ).check()
        return replace(found, notes=(*self.request.notes, *notes), entry=entry)


def _open(publication: Publication) -> PromisedPublication:
    """What is known besides tables: nothing is promised of it, and what it leaves out is not 0."""
    names = frozenset(table.name for table in publication.tables)
    return PromisedPublication(PublicationPart(publication, None, names), None)


def _compact(publication: Publication) -> dict[str, Any]:
    """A publication in JSON, tables with every combination of their labels without codes."""
    said = publication.to_dict()
    for table, own in zip(publication.tables, said["tables"], strict=True):
        own["codes"] = None if table.is_grid else own["codes"]
    return said


def _changes(known: Iterable[RecordedPublication]) -> list[PopulationChange]:
    said = [one.body["change"] for one in known if one.body["change"] is not None and one.is_present]
    return [PopulationChange.of(each["before"], each["after"], each["joined"], each["left"]) for each in said]


def _quantity(body: Mapping[str, Any]) -> tuple[str, str]:
    """What tables are about: tables of other quantities say nothing about them."""
    return body["publication"]["tables"][0]["kind"], body["quantity"]


def _promised(one: RecordedPublication, waves: Waves | None) -> PromisedPublication:
    try:
        publication = replace(Publication.of_dict(one.body["publication"]), population=one.population)
        promise = PublicationPromise.of_json(one.body["promise"])
        open_tables = frozenset(one.body["open_tables"])
    except (LookupError, TypeError, ValueError) as error:
        raise LedgerError(f"entry {one.entry} does not say what a publication says") from error
    return PromisedPublication(PublicationPart(_placed(publication, waves), one.entry, open_tables), promise)


def _placed(publication: Publication, waves: Waves | None) -> Publication:
    return publication if waves is None else waves.placed(publication, publication.population)
