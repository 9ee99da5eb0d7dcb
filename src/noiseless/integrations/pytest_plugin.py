"""A plugin of pytest: the fixture `assert_private`, and a policy for all tests in its configuration.

It is loaded by pytest itself in every environment that has the package, so it imports nothing before a test
asks for the fixture.
"""

from collections.abc import Callable
from typing import Any

import pytest

INI = "noiseless_policy"
MARK = "noiseless_policy"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The policy of all tests, in pytest's configuration."""
    parser.addini(INI, "The policy (a TOML file) that the fixture assert_private holds tables against.")


def pytest_configure(config: pytest.Config) -> None:
    """The policy of one test, as a mark."""
    config.addinivalue_line(
        "markers", f"{MARK}(policy): the policy that the fixture assert_private holds tables against."
    )


@pytest.fixture
def assert_private(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Fail unless a table keeps the policy: `assert_private(frame)`, or with `nl.assert_private`'s options.

    The policy is that of the call, or of the mark `noiseless_policy`, or of pytest's configuration, in which
    its file is named relative to the root of the project.
    """
    from noiseless.errors import PolicyError
    from noiseless.integrations.assertion import NotPrivateError
    from noiseless.integrations.assertion import assert_private as check

    mark, named = request.node.get_closest_marker(MARK), request.config.getini(INI)
    default = mark.args[0] if mark is not None else request.config.rootpath / named if named else None

    def holds(table: Any, policy: Any = default, **options: Any) -> Any:  # noqa: ANN401 - as `assert_private`
        __tracebackhide__ = True
        if policy is None:
            raise PolicyError(f"no policy is named; give one, or set {INI} in pytest's configuration")
        try:
            return check(table, policy, **options)
        except NotPrivateError as error:
            lines = [str(error), *repr(error.result).splitlines()[1:]]
            pytest.fail("\n".join(lines), pytrace=False)

    return holds
