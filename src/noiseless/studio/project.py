"""A project's file: the table, how it is written, what each column is for, and the limits chosen."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from noiseless.domain.schema import write_key, write_text
from noiseless.errors import RequestError
from noiseless.studio.command import shown_source
from noiseless.studio.roles import Role
from noiseless.tables import written_whole

_KIND = "noiseless-studio"
Written = Literal["encoding", "separator", "decimal", "date_format", "sheet"]


class ReleaseLimits(BaseModel):
    """What a release must keep, as `noiseless release` takes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_posterior: Annotated[int, Field(ge=1)] | None = None
    min_rows: Annotated[int, Field(ge=1)] | None = None
    largest_belief: str | None = None
    suppress: Annotated[float, Field(ge=0, le=1)] | None = None
    prefer: Literal["worst", "mean"] | None = None
    codeword: Literal["interval", "midrange", "centroid", "medoid"] | None = None
    recoding: Literal["local", "full-domain", "suppression"] | None = None
    hierarchy: dict[str, str] = Field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """What was asked for, one thing at a time."""
        said = (
            (self.min_posterior, "at least {} values left"),
            (self.largest_belief, "nobody guessed right more often than {}"),
            (self.min_rows, "at least {} rows alike"),
            (self.suppress and f"{self.suppress:.1%}", "up to {} of the rows left out"),
            (self.prefer, "the least {} loss"),
            (self.recoding, "{} recoding"),
            (", ".join(self.hierarchy), "hierarchies of {}"),
        )
        return [form.format(value) for value, form in said if value]


class Project(BaseModel):
    """Where one was.

    Attributes:
        source: the table.
        written: how it is written: encoding, separator, decimal, date_format, sheet.
        roles: what each column is for.
        limits: what a release must keep.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = ""
    written: dict[Written, str] = Field(default_factory=dict)
    roles: dict[str, Role] = Field(default_factory=dict)
    limits: ReleaseLimits = ReleaseLimits()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> "Project":
        """From what a file or a page says.

        Raises:
            RequestError: a key or a value is wrong.
        """
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            raise RequestError(
                f"project: {'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"
            ) from None

    def placed(self, folder: Path) -> "Project":
        """The same project seen from anywhere: paths are taken from a folder."""
        source = self.source
        if source and "::" not in source:
            source = str(folder / Path(source).expanduser())
        trees = {
            column: text if is_rule(text) else str(folder / Path(text).expanduser())
            for column, text in self.limits.hierarchy.items()
        }
        limits = self.limits.model_copy(update={"hierarchy": trees})
        return self.model_copy(update={"source": source, "limits": limits})

    def without(self, folder: Path) -> "Project":
        """The same project when a folder is gone, as it may be written down.

        What lies in the folder is named as if it lay beside, and a database's password is left out.
        """
        trees = {column: _beside(text, folder) for column, text in self.limits.hierarchy.items()}
        limits = self.limits.model_copy(update={"hierarchy": trees})
        source = shown_source(_beside(self.source, folder))
        return self.model_copy(update={"source": source, "limits": limits})

    @classmethod
    def read(cls, path: Path) -> "Project":
        """The project in a file; a table beside it is found from anywhere.

        Raises:
            RequestError: it is none.
        """
        try:
            data = tomllib.loads(path.read_text("utf-8-sig"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            raise RequestError(f"{path}: is no project of the studio") from None
        if data.pop("kind", None) != _KIND:
            raise RequestError(f'{path}: is no project of the studio; its first line is kind = "{_KIND}"')
        return cls.of(data).placed(path.resolve().parent)

    def write(self, path: Path) -> None:
        """Write it, whole or not at all.

        Raises:
            OutputError: it cannot be written there.
        """
        with written_whole(path) as part:
            part.write_text(self.toml, "utf-8", newline="\n")

    @property
    def toml(self) -> str:
        """The text of its file."""
        limits = self.limits.model_dump(exclude_none=True)
        sections: dict[str, Mapping[str, Any]] = {
            "written": {str(name): said for name, said in self.written.items()},
            "roles": self.roles,
            "limits": {name: value for name, value in limits.items() if name != "hierarchy"},
            "limits.hierarchy": self.limits.hierarchy,
        }
        lines = [f"kind = {write_text(_KIND)}", f"source = {write_text(self.source)}"]
        for name, section in sections.items():
            if section:
                lines += ["", f"[{name}]", *(f"{write_key(k)} = {_written(v)}" for k, v in section.items())]
        return "\n".join(lines) + "\n"


def is_rule(text: str) -> bool:
    """Whether the text of a hierarchy is a rule; another one names a file."""
    from noiseless.tables.hierarchies import HierarchyRule

    try:
        return HierarchyRule.read(text) is not None
    except ValueError:
        return True


def _beside(text: str, folder: Path) -> str:
    return Path(text).name if Path(text).is_relative_to(folder) else text


def _written(value: object) -> str:
    return write_text(value) if isinstance(value, str) else str(value)
