"""`noiseless convert`: guarantees in terms of each other, and those of a mechanism in a file."""

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from noiseless.cli.options import Format, FormatOption, option, show, working
from noiseless.errors import RequestError

if TYPE_CHECKING:
    from noiseless.theory.differential.extension import VariantName
    from noiseless.theory.differential.mechanism_file import MechanismVariant

CONVERT_HELP = """Translate a privacy guarantee into one of another kind.

The kinds: dp is (epsilon, delta)-differential privacy, kl is KL-DP and mi is MI-DP (both in nats), delta is
(0, delta)-DP. Exit code 1 when no finite guarantee follows. With --mechanism all of them are computed from
a file of probabilities.

Examples:

  noiseless convert --from dp --to mi --epsilon 1

  noiseless convert --from mi --to delta --epsilon 0.1

  noiseless convert --from delta --to mi --delta 0.01 --inputs 1000

  noiseless convert --from mi --to dp --epsilon 0.1 --target-epsilon 1

  noiseless convert --from dp --to mi --epsilon 0.5 --members 4 --times 10

  noiseless convert --mechanism response.csv --variant personalised
"""

_NOTHING_FOLLOWS = 1


def read_guaranteed(text: str, name: str) -> Fraction | Decimal:
    """A number exactly as it was written: a decimal, a fraction, or inf."""
    try:
        if "/" in text:
            return Fraction(text)
        number = Decimal(text)
    except (ValueError, ZeroDivisionError, InvalidOperation):
        number = Decimal("nan")
    if number.is_nan():
        raise RequestError(f"{name} takes a number such as 0.1, 1/3 or 1e-6, not {text!r}")
    return number


def _guarantee(name: str, metavar: str, description: str) -> Any:  # noqa: ANN401 - as typer says
    return option(description, metavar, name, parser=partial(read_guaranteed, name=name))


def convert_command(
    *,
    source: Annotated[str | None, option("What is given: dp, kl, mi or delta.", "KIND", "--from")] = None,
    target: Annotated[str | None, option("What is wanted: dp, kl, mi or delta.", "KIND", "--to")] = None,
    epsilon: Annotated[
        Decimal | None, _guarantee("--epsilon", "E", "The epsilon that is given, in nats (0.1, 1/3, 1e-6).")
    ] = None,
    delta: Annotated[
        Decimal | None, _guarantee("--delta", "D", "The delta that is given, with dp and delta.")
    ] = None,
    inputs: Annotated[int | None, option("How many values one entry can take.", "N")] = None,
    outputs: Annotated[int | None, option("How many outputs there are.", "M")] = None,
    target_epsilon: Annotated[
        Decimal | None, _guarantee("--target-epsilon", "E", "With --to dp: find delta' for this epsilon'.")
    ] = None,
    as_printed: Annotated[
        bool, typer.Option("--as-printed", help="Use the paper's formula instead of the sharpest known.")
    ] = False,
    members: Annotated[int, option("For groups of K entries.", "K", min=1)] = 1,
    times: Annotated[int, option("For K answers together, each with its own noise.", "K", min=1)] = 1,
    variant: Annotated[
        str | None, option("personalised, free-lunch or bayesian; of a --mechanism also adversarial.", "NAME")
    ] = None,
    mechanism: Annotated[
        Path | None, option("A CSV or JSON file of probabilities instead: all its guarantees.", "FILE")
    ] = None,
    prior: Annotated[
        str | None,
        option('With --mechanism: a CSV file with a probability for each database, or "uniform".', "FILE"),
    ] = None,
    output: FormatOption = "text",
) -> int:
    """Print what follows.

    Returns:
        The exit code: 0, or 1 when no finite guarantee follows.
    """
    from noiseless.theory.differential import convert

    if mechanism is not None:
        if (
            (source, target, inputs, outputs, target_epsilon) != (None,) * 5
            or members * times > 1
            or as_printed
        ):
            raise RequestError(
                "a mechanism says all by itself; give --delta, --epsilon, --variant and --prior only"
            )
        _show_mechanism(mechanism, epsilon, delta, variant, prior, output)
        return 0
    if source is None or target is None or prior is not None:
        raise RequestError("say what is given (--from) and what is wanted (--to), or give a --mechanism FILE")
    converted = convert(
        source,
        target,
        epsilon=epsilon,
        delta=delta,
        inputs=inputs,
        outputs=outputs,
        target_epsilon=target_epsilon,
        as_printed=as_printed,
        members=members,
        times=times,
        variant=cast("VariantName | None", variant),
    )
    show(output, converted.to_dict(), converted.statement)
    return 0 if converted.follows else _NOTHING_FOLLOWS


def _show_mechanism(  # noqa: PLR0917 - what the command was given
    path: Path,
    epsilon: Decimal | None,
    delta: Decimal | None,
    variant: str | None,
    prior: str | None,
    output: Format,
) -> None:
    from noiseless.theory.differential import mechanism_file

    with working("reading"):
        read = mechanism_file.MechanismFile.read(path)
        weights = None
        if prior is not None:
            weights = read.uniform if prior == "uniform" else read.prior(prior)
    with working("searching"):
        found = mechanism_file.report(
            read.database,
            delta=delta or 0,
            epsilon=epsilon or 0,
            variant=cast("MechanismVariant | None", variant),
            prior=weights,
        )
        said = found.to_dict()
    show(output, said, repr(found))
