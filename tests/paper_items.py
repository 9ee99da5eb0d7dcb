"""The numbered statements of the five papers: what each paper's page in the documentation must have."""


def numbered(kind: str, last: int) -> list[str]:
    """Theorem 1, Theorem 2, ..."""
    return [f"{kind} {number}" for number in range(1, last + 1)]


def equations(*numbers: int) -> list[str]:
    """Equations that define something, by their numbers."""
    return [f"({number})" for number in numbers]


PAPERS: dict[int, list[str]] = {
    1: [
        *numbered("Definition", 3),
        *numbered("Proposition", 3),
        *numbered("Theorem", 8),
        *numbered("Fig.", 6),
        *equations(*range(1, 13)),
    ],
    2: [
        *numbered("Definition", 6),
        *numbered("Theorem", 5),
        "Proposition 1",
        "Remark 1",
        *numbered("Example", 4),
        *numbered("Fig.", 8),
        *equations(*range(1, 14)),
    ],
    3: [
        *numbered("Definition", 2),
        *numbered("Lemma", 2),
        "Proposition 1",
        *numbered("Algorithm", 2),
        *numbered("Example", 5),
        *numbered("Fig.", 9),
        *equations(*range(1, 12)),
        "U1",
        "U2",
        "V-C",
        "VI-A",
        "VI-B",
        "[49]",
        "[50]",
    ],
    4: [
        *(f"Definition {number}" for number in ("II.1", "II.2", "III.1", "III.2", "IV.1", "V.1")),
        *(f"Theorem {number}" for number in ("II.1", "II.2", "III.1", "IV.1", "IV.2", "IV.3")),
        *(f"Proposition {number}" for number in ("III.1", "V.1")),
        *(f"Example {number}" for number in ("II.1", "IV.1", "IV.2")),
        "Assumption II.1",
        "Remark II.1",
        "Corollary IV.1",
        *numbered("Fig.", 3),
        *equations(*range(1, 22)),
    ],
    5: [
        *numbered("Definition", 8),
        *numbered("Property", 9),
        *numbered("Lemma", 5),
        *numbered("Corollary", 6),
        *numbered("Example", 5),
        "Theorem 1",
        *(f"6.{number}" for number in range(1, 5)),
        "(66)",
    ],
}
"""By the paper's number; the equations are those that define or solve something, not those of proofs."""
