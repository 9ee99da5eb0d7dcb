"""A policy as an assertion about a table: for tests, notebooks and pipelines."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from noiseless.audits import Audit, audit
from noiseless.audits.policy import Policy, PolicyResult
from noiseless.errors import NoiselessError, RequestError

Limits = Policy | Path | str | Mapping[str, int | float | str | Decimal]
"""A policy, its file, or limits by their names."""


class NotPrivateError(NoiselessError, AssertionError):
    """A table does not keep a policy.

    Attributes:
        audit: what the table gives away.
        result: the policy's checks, those that fail among them.
    """

    def __init__(self, audit: Audit, result: PolicyResult) -> None:
        failed = "; ".join(
            f"{name} ({check.target}): {asked} asked, {found} found"
            for check in result.checks
            if not check.holds
            for name, asked, found in [check.words]
        )
        super().__init__(f"{audit.source} does not keep the policy: {failed}")
        self.audit, self.result = audit, result


def policy_of(policy: Limits) -> Policy:
    """A policy from what a user gives.

    >>> policy_of({"min_posterior": 3})
    Policy(limits={'min_posterior': 3})

    Raises:
        PolicyError: it is none.
    """
    if isinstance(policy, Policy):
        return policy
    return Policy(policy) if isinstance(policy, Mapping) else Policy.read(policy)


def assert_private(
    table: Any,  # noqa: ANN401 - anything that open_table opens
    policy: Limits,
    *,
    sensitive: str | Sequence[str] | None = None,
    public: str | Sequence[str] | None = None,
    given: str | Sequence[str] | None = None,
    unit: str | None = None,
    **options: Any,  # noqa: ANN401 - as for `audit`
) -> Audit:
    """Raise unless a table keeps a policy; what it gives away is returned.

    Args:
        table: a file, a glob, a database table, or any frame.
        policy: a `Policy`, its file, or limits by their names: `{"min_posterior": 3}`.
        sensitive: the columns to protect; by default those that the policy names.
        public: the columns that everyone sees; by default those that the policy names, or all others.
        given: columns that an adversary knows from elsewhere; by default those that the policy names.
        unit: the column that identifies a person; by default the one that the policy names.
        options: as for `audit`.

    Raises:
        NotPrivateError: it does not; an `AssertionError` that says which limits are not kept.
        NoiselessError: the table, a column or the policy is wrong, and how to mend it.

    >>> import pandas as pd
    >>> wards = pd.DataFrame({"ward": ["a", "a", "b", "b"], "age": [31, 47, 52, 52]})
    >>> assert_private(wards, {"k_anonymity": 2}, sensitive="age").k_anonymity
    2
    >>> try:
    ...     assert_private(wards, {"min_posterior": 2}, sensitive="age")
    ... except AssertionError as error:
    ...     print(str(error).partition(": ")[2])
    fewest values left (age): at least 2 asked, 1 found
    """
    checked = policy_of(policy)
    roles: dict[str, Any] = {"sensitive": sensitive, "public": public, "given": given, "unit": unit}
    if checked.columns is not None:
        roles = {
            name: getattr(checked.columns, name) if asked is None else asked for name, asked in roles.items()
        }
    if roles["sensitive"] is None:
        raise RequestError("no sensitive column is named; say sensitive=, or [columns] in the policy's file")
    found = audit(table, **roles, **options)
    result = checked.check(found)
    if not result.holds:
        raise NotPrivateError(found, result)
    return found
