"""Lists as PostgreSQL writes them: the driver's own way looks at every text with regular expressions."""

from collections.abc import Iterable

Item = str | int | None


def array_text(items: Iterable[Item]) -> str:
    r"""A list as the text of an array.

    >>> print(array_text([1, None, 'a "b" \\ {c}', ""]))
    {1,NULL,"a \"b\" \\ {c}",""}
    """
    return "{" + ",".join([_item_text(item) for item in items]) + "}"


def _item_text(item: Item) -> str:
    if item is None:
        return "NULL"
    if isinstance(item, int):
        return str(item)
    escaped = item.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def as_columns(rows: Iterable[Iterable[Item]]) -> list[str]:
    """Rows as columns, each an array.

    >>> as_columns([(1, "a"), (2, None)])
    ['{1,2}', '{"a",NULL}']
    """
    return [array_text(column) for column in zip(*rows, strict=True)]
