"""The spellings of aggregates: functions by other names, quantiles, and CASE with one condition."""

from typing import NamedTuple

from sqlglot import exp

from noiseless.questions.sql.scope import bare

QUANTILES = (exp.WithinGroup, exp.PercentileDisc, exp.PercentileCont, exp.Quantile, exp.Anonymous)
"""What a quantile may be written as."""
_BY_NAME: dict[str, type[exp.Expression]] = {"MEAN": exp.Avg}


class OneCase(NamedTuple):
    """CASE WHEN condition THEN then [ELSE 0] END."""

    condition: exp.Expression
    then: exp.Expression
    zero_elsewhere: bool


def one_case(node: exp.Expression) -> OneCase | None:
    """A CASE or IF with one condition, and 0 or nothing elsewhere."""
    if isinstance(node, exp.Case) and len(node.args["ifs"]) == 1 and not node.args.get("this"):
        branch, otherwise = node.args["ifs"][0], node.args.get("default")
        condition, then = branch.this, branch.args["true"]
    elif isinstance(node, exp.If):
        condition, then, otherwise = node.this, node.args["true"], node.args.get("false")
    else:
        return None
    rest = None if otherwise is None else bare(otherwise)
    if rest is None or isinstance(rest, exp.Null):
        return OneCase(condition, then, zero_elsewhere=False)
    is_zero = isinstance(rest, exp.Literal) and not rest.is_string and rest.name.strip("0.") == ""
    return OneCase(condition, then, zero_elsewhere=True) if is_zero else None


def renamed(node: exp.Expression) -> exp.Expression:
    """Functions that the parser does not know by their names."""
    if isinstance(node, exp.Anonymous) and len(node.expressions) == 1:
        kind = _BY_NAME.get(str(node.this).upper())
        if kind is not None:
            return kind(this=node.expressions[0])
    return node


def quantile_call(node: exp.Expression) -> tuple[exp.Expression | None, exp.Expression | None, bool] | None:
    """The column and the share of a quantile, and whether it may lie between two values."""
    if isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.PercentileDisc | exp.PercentileCont):
        ordered = node.expression.expressions if isinstance(node.expression, exp.Order) else []
        plain = len(ordered) == 1 and not ordered[0].args.get("desc") and not node.this.args.get("expression")
        continuous = isinstance(node.this, exp.PercentileCont)
        return (ordered[0].this, node.this.this, continuous) if plain else (None, None, continuous)
    if isinstance(node, exp.PercentileDisc | exp.PercentileCont):
        return node.this, node.args.get("expression"), isinstance(node, exp.PercentileCont)
    if isinstance(node, exp.Quantile):
        return node.this, node.args.get("quantile"), False
    if isinstance(node, exp.Anonymous) and str(node.this).upper() in ("QUANTILE_DISC", "QUANTILE_CONT"):
        column, share = [*node.expressions, None, None][:2]
        if len(node.expressions) != 2:  # noqa: PLR2004 - a column and a share
            column = None
        return column, share, str(node.this).upper() == "QUANTILE_CONT"
    return None
