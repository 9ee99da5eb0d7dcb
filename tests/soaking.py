"""How hard the tests try: more random examples with the profile `soak`, more kills with NOISELESS_KILLS."""

import os
from typing import Final

from hypothesis import settings

KILLS: Final = int(os.environ.get("NOISELESS_KILLS", "5"))
"""How often a curator's session is killed at each place."""

FEWER_KILLS: Final = max(min(KILLS, 5), KILLS // 5)
"""How often a server or a stream is, which takes longer."""


TIMES: Final = 20
"""How many times as many random examples a soak has."""


def seeds(few: int) -> range:
    """Of a test that draws by itself: more of them in a soak."""
    return range(few * TIMES if soaking() else few)


def soaking() -> bool:
    """Whether there are many more random examples than usual."""
    return settings.get_current_profile_name() == "soak"
