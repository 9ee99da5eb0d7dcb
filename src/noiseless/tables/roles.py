"""Which columns of a table are to be protected, which are seen, and which name a person."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Roles:
    """The columns of a table that is audited, by what they are."""

    sensitive: tuple[str, ...]
    public: tuple[str, ...]
    given: tuple[str, ...]
    unit: str | None
