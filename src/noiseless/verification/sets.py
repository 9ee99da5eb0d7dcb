"""How a cell reads: sets of categories and intervals of numbers."""


def read_set(text: str) -> frozenset[str | None] | None:
    """The set that a text like `a|b` writes; None when it writes none.

    Parts stand between bars; one that holds a bar, begins with a quote, or is empty, stands in quotes with
    quotes inside doubled. An empty part without quotes is a missing value.

    >>> read_set('a|"b|c"|') == {"a", "b|c", None}
    True
    >>> read_set("a|a") is None, read_set('"a') is None, read_set('"a"b') is None
    (True, True, True)
    """
    parts: list[str | None] = []
    at = 0
    while True:
        if text.startswith('"', at):
            part, at = _quoted(text, at + 1)
            if part is None:
                return None
            parts.append(part)
        else:
            end = text.find("|", at)
            end = len(text) if end < 0 else end
            parts.append(text[at:end] or None)
            at = end
        if at == len(text):
            return frozenset(parts) if len(set(parts)) == len(parts) else None
        if text[at] != "|":
            return None
        at += 1


def _quoted(text: str, at: int) -> tuple[str | None, int]:
    """A part in quotes that begins at some place, and where it ends."""
    found = []
    while (end := text.find('"', at)) >= 0:
        found.append(text[at:end])
        if not text.startswith('"', end + 1):
            return '"'.join(found), end + 1
        at = end + 2
    return None, at


def interval_text(low: str, high: str) -> str:
    """How an interval of two numbers is written.

    >>> interval_text("35", "39"), interval_text("-3", "5"), interval_text("7", "7")
    ('35-39', '-3 to 5', '7')
    """
    if low == high:
        return low
    return f"{low}-{high}" if low.isdecimal() and high.isdecimal() else f"{low} to {high}"
