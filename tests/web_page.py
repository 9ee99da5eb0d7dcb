"""A page of HTML, read with a strict eye."""

from collections import Counter
from html.parser import HTMLParser

APART = {"td", "th", "p", "div", "span", "strong", "li", "dt", "dd"}
VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """A page of which every tag is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        self.words += [" "] * (tag in APART)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    @property
    def sections(self) -> set[str]:
        return {value for tag, name, value in self.attributes if (tag, name) == ("section", "id")}
