"""Every play of a game checks what it claims: an adversary who is told the truth never excludes it."""


class UnsoundError(AssertionError):
    """A truthful answer excluded the truth, or told more than it cost: the software is wrong."""


def require_sound(holds: bool, claim: str) -> None:
    """Check a claim that must hold in every play.

    >>> require_sound(True, "the truth is among what is left")

    Args:
        holds: whether it does.
        claim: what must hold; no private value.

    Raises:
        UnsoundError: it does not. This is no mistake of the user's, and nothing they can mend.
    """
    if not holds:
        raise UnsoundError(f"{claim}: this does not hold, so that no result of this game can be relied on")
