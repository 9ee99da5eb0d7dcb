from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noiseless.client.calls import Patience, seconds_after
from waiting import HANGS


@given(st.text(), st.integers(1, 10_000))
def test_waits_double_up_to_a_most_and_are_spread_over_half_of_it(seed: str, attempt: int) -> None:
    patience = Patience(first=0.2, most=5.0)
    full = min(5.0, 0.2 * 2.0 ** min(attempt - 1, 30))
    assert full / 2 <= patience.wait(seed, attempt) <= full
    assert patience.wait(seed, attempt) == patience.wait(seed, attempt)


def test_clients_do_not_come_back_together() -> None:
    waits = {round(Patience().wait(str(number), 4), 3) for number in range(100)}
    assert len(waits) > 80


def test_a_date_to_come_back_at_is_understood() -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    assert 3600 - HANGS < (seconds_after(format_datetime(later, usegmt=True)) or 0) <= 3600
    assert seconds_after(format_datetime(later - timedelta(hours=2), usegmt=True)) == 0


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "-3", "1e400"])
def test_what_is_no_time_is_passed_over(text: str) -> None:
    assert seconds_after(text) is None
