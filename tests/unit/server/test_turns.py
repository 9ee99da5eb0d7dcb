"""Turns: nobody's work takes all threads."""

import asyncio
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from noiseless.curator import Curator
from noiseless.curator.planner import Planner
from noiseless.server.service import ConcurrencyLimit
from noiseless.work import check
from server_examples import TOTAL, code, example
from waiting import HANGS


def test_turns_are_taken_in_order_and_given_on() -> None:
    async def go() -> list[str]:
        turns, seen = ConcurrencyLimit(2, 1), list[str]()

        async def work(name: str) -> None:
            if not turns.take("a"):
                await turns.wait("a")
            seen.append(name)
            await asyncio.sleep(0)
            turns.give_back("a")

        await asyncio.gather(*(work(name) for name in "123"))
        assert turns.take("a")
        assert turns.take("b")
        assert not turns.take("a")
        assert not turns.take("c")
        return seen

    assert asyncio.run(go()) == ["1", "2", "3"]


def test_a_turn_that_nobody_waits_for_any_more_goes_to_the_next() -> None:
    async def go() -> None:
        turns = ConcurrencyLimit(1, 1)
        assert turns.take("a")
        waiting = [asyncio.create_task(turns.wait("a")) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[0].cancel()
        await asyncio.sleep(0)
        turns.give_back("a")
        waiting[1].cancel()  # just when it got the turn
        await asyncio.wait_for(waiting[2], HANGS)
        turns.give_back("a")
        assert turns.take("a")

    asyncio.run(go())


def test_turns_have_two_bounds_and_nobody_is_forgotten() -> None:
    """Whoever comes when, there are never more at once than may be, and all have their turn."""

    async def go(seed: int) -> None:
        chance = random.Random(seed)
        turns, busy, most = ConcurrencyLimit(3, 2), Counter[str](), [0, 0]

        async def work(token: str) -> None:
            await asyncio.sleep(chance.random() / 100)
            if not turns.take(token):
                await turns.wait(token)
            busy[token] += 1
            most[:] = max(most[0], busy.total()), max(most[1], *busy.values())
            await asyncio.sleep(chance.random() / 1000)
            busy[token] -= 1
            turns.give_back(token)

        tasks = [asyncio.create_task(work(chance.choice("abc"))) for _ in range(60)]
        await asyncio.sleep(0.003)
        for task in chance.sample(tasks, 10):
            task.cancel()
        done = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 60)
        assert len([each for each in done if each is None]) >= 50
        assert most[0] <= 3
        assert most[1] <= 2

    asyncio.run(go(1))


@pytest.mark.parametrize("dry_run", [True, False])
def test_one_token_does_not_keep_others_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool
) -> None:
    begun, over = threading.Event(), threading.Event()

    def slow(*_: object, analyst: str = "", **__: object) -> None:
        if analyst == "ann":
            begun.set()
            over.wait(HANGS)

    with example(tmp_path, threads=4) as server, ThreadPoolExecutor(8) as pool:
        server.analyst.get("/v1/session")
        monkeypatch.setattr(Curator, "price", slow)
        monkeypatch.setattr(Curator, "ask", slow)
        asked = [pool.submit(server.analyst.ask, TOTAL, dry_run=dry_run) for _ in range(8)]
        assert begun.wait(HANGS)
        try:
            assert server.owner.ask(TOTAL, dry_run=dry_run).status_code == 500  # it had its turn
            assert not any(each.done() for each in asked)
        finally:
            over.set()
        assert {each.result().status_code for each in asked} == {500}


def test_what_nobody_waits_for_is_not_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    over = threading.Event()

    def slow(_: object, sql: str, **__: object) -> None:
        begun.append(sql)
        over.wait(HANGS)

    with example(tmp_path, threads=2, timeout=0.5) as server, ThreadPoolExecutor(8) as pool:
        server.analyst.get("/v1/session")
        monkeypatch.setattr(Curator, "ask", slow)
        try:
            while not begun:
                assert server.analyst.ask("SELECT 1").status_code == 503
            asked = [pool.submit(server.analyst.ask, f"SELECT {number}") for number in range(6)]
            assert {each.result().status_code for each in asked} == {503}
        finally:
            over.set()
    assert set(begun) == {"SELECT 1"}  # on a busy machine perhaps twice


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_nobody_waits_for_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dry_run: bool) -> None:
    """A time-out ends the work that it is about, and a stop all work that is not charged for."""
    begun, ended = threading.Event(), threading.Event()

    def endless(*_: object, **__: object) -> None:
        begun.set()
        try:
            while True:
                check()
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr(Planner, "parts", endless)
    with example(tmp_path, timeout=0.3) as server:
        while not begun.is_set():  # on a busy machine the time is over before the work begins
            assert code(server.analyst.ask(TOTAL, dry_run=dry_run)) == (503, "timeout")
        assert ended.wait(HANGS)
        assert server.analyst.get("/v1/datasets").json()["datasets"][0]["spent"] == 0
    begun.clear()
    with ThreadPoolExecutor(1) as pool, example(tmp_path, timeout=1000) as server:
        asked = pool.submit(server.analyst.ask, TOTAL, dry_run=dry_run)
        assert begun.wait(HANGS)
        server.office.begin_closing()
        assert code(asked.result(HANGS)) == (503, "unavailable")


def test_the_statements_of_a_batch_are_not_too_long(tmp_path: Path) -> None:
    with example(tmp_path, max_sql=1000) as server:
        refused = server.analyst.ask(*["SELECT " + "x" * 300] * 4)
        assert refused.status_code == 413
        assert refused.json()["error"]["details"] == {"most": 1000}
        assert server.analyst.ask(*[TOTAL] * 30).status_code == 200
