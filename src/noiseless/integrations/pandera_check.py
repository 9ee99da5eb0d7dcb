"""A policy as a check of pandera, on frames of pandas and of polars."""

from typing import TYPE_CHECKING, Any

from noiseless.integrations.assertion import Limits, NotPrivateError, assert_private, policy_of

if TYPE_CHECKING:
    from pandera import Check


def private_check(policy: Limits, **options: Any) -> "Check":  # noqa: ANN401 - as for `assert_private`
    """A check of a whole frame: it passes where the frame keeps a policy.

    Args:
        policy: a `Policy`, its file, or limits by their names.
        options: the columns and how they are read, as for `nl.assert_private`.

    Raises:
        ImportError: pandera is missing.

    >>> import pandas as pd, pandera.pandas as pa
    >>> schema = pa.DataFrameSchema(checks=private_check({"k_anonymity": 2}, sensitive="age"))
    >>> schema.validate(pd.DataFrame({"ward": ["a", "a"], "age": [31, 47]})).shape
    (2, 2)
    """
    try:
        from pandera import Check
    except ModuleNotFoundError:
        raise ImportError("nl.private_check needs an extra: pip install 'noiseless[pandera]'") from None
    held = policy_of(policy)
    limits = ", ".join(held.limits)

    def holds(data: Any) -> bool:  # noqa: ANN401 - a frame, or what pandera wraps around one of polars
        try:
            assert_private(getattr(data, "lazyframe", data), held, **options)
        except NotPrivateError:
            return False
        return True

    return Check(holds, name="private", error=f"the table gives away more than the policy allows ({limits})")
