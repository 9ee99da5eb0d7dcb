"""The account of many Laplace answers by Google's dp-accounting, from their privacy loss distribution."""

import dp_accounting as da  # type: ignore[import-not-found]
from dp_accounting import pld, rdp

from peers.protocol import Task, serve


def account(questions: int, epsilon: float, delta: float, kind: str) -> Task:
    """The epsilon at a delta of so many equal answers: its way for equal ones is the fastest it has."""

    def task() -> float:
        relation = da.NeighboringRelation.ADD_OR_REMOVE_ONE
        accountant = pld.PLDAccountant(relation) if kind == "PLD" else rdp.RdpAccountant(None, relation)
        accountant.compose(da.LaplaceDpEvent(1 / epsilon), questions)
        return float(accountant.get_epsilon(delta))

    return task


if __name__ == "__main__":
    serve({"account": account})
