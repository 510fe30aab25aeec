"""A hundred scripted trainees at once on a practice server of this machine: how long a turn with feedback takes, and whether one is lost.

uv run maieutic practice --port 8090 --data /tmp/load &
uv run python benchmarks/practice_load.py http://127.0.0.1:8090

A turn that finds no server is sent again each second for two minutes, and counted, so that the server can be killed and started again meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from html.parser import HTMLParser

import httpx
import numpy as np

from maieutic.practice.cases import packaged

QUESTIONS = (
    "What happened?", "What went through your mind then?", "How did you feel at that moment?", "How sure are you of that?",
    "Since when have you seen it this way?", "Who would see it differently?", "What do you make of that?",
)  # fmt: skip
PATIENCE = 120  # seconds for which a turn is sent again
PASSWORD = "a long sentence"  # of accounts that last as long as the load


class _Token(HTMLParser):
    token = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if named.get("name") == "csrf":
            self.token = named.get("value") or ""


def token_of(page: str) -> str:
    """The token that the forms of a page carry."""
    reader = _Token()
    reader.feed(page)
    return reader.token


async def sent(browser: httpx.AsyncClient, where: str, data: dict[str, str], again: list[int]) -> httpx.Response:
    """The page that a turn brings; sent again, and counted, while nobody answers."""
    for _ in range(PATIENCE):
        try:
            return await browser.post(where, data=data)
        except httpx.TransportError:
            again.append(int(data["number"]))
            await asyncio.sleep(1)
    return await browser.post(where, data=data)


async def trainee(
    address: str, number: int, turns: int, every: float, taken: list[float], again: list[int]
) -> str | None:
    """One person: an account, a session, and turns at Poisson times; what is wrong in the end, or None."""
    rng = random.Random(number)
    cases = packaged()
    case = [one for one in cases if one.risk.level == "none"][number % 12]
    limits = httpx.Limits(max_keepalive_connections=0)  # people are slower than a server keeps an idle connection
    await asyncio.sleep(rng.uniform(0, every))
    async with httpx.AsyncClient(
        base_url=address, follow_redirects=True, timeout=60, limits=limits, verify=False
    ) as browser:
        page = await browser.get("/account/new")
        name = f"load-{number}-{time.time_ns()}"
        page = await browser.post(
            "/account/new", data={"csrf": token_of(page.text), "name": name, "password": PASSWORD}
        )
        csrf = token_of(page.text)
        await browser.post("/consent", data={"csrf": csrf, "teaching": "yes", "research": "no"})
        begin = {"csrf": csrf, "style": "plain", "turns": str(min(30, turns + 5)), "goal": "none"}
        talk = (await browser.post(f"/cases/{case.id}", data=begin)).url.path
        said = 0
        for turn in range(1, turns + 1):
            await asyncio.sleep(rng.expovariate(1 / every))
            text = f"{rng.choice(QUESTIONS)} ({turn})"
            started = time.perf_counter()
            page = await sent(browser, f"{talk}/say", {"csrf": csrf, "number": str(turn), "said": text}, again)
            taken.append(time.perf_counter() - started)
            said += 1
            if page.status_code != 200:
                return f"{name}: turn {turn} came back with {page.status_code}"
            if "The session is over" in page.text:
                break
        shown = (await browser.get(talk)).text.count('class="said you"')
        return None if shown == said else f"{name}: {said} turns said, {shown} kept"


async def main() -> None:
    """Play everybody, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--trainees", type=int, default=100)
    parser.add_argument("--turns", type=int, default=20)
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two turns of one person, on average")
    asked = parser.parse_args()
    if not asked.address.startswith("http://127.0.0.1:"):
        parser.error("a load is sent to this machine alone: http://127.0.0.1:PORT")
    taken: list[float] = []
    again: list[int] = []
    people = (trainee(asked.address, n, asked.turns, asked.every, taken, again) for n in range(asked.trainees))
    wrong = [one for one in await asyncio.gather(*people) if one]
    middle, late = np.percentile(taken, [50, 95])
    print(f"{asked.trainees} trainees, {len(taken)} turns: median {1000 * middle:.0f} ms, p95 {1000 * late:.0f} ms, "
          f"longest {1000 * max(taken):.0f} ms; sent again: {len(again)}; wrong: {wrong or 'nothing'}")  # fmt: skip


if __name__ == "__main__":
    asyncio.run(main())
