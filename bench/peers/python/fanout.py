"""Document 002 with aiohttp; runs on Debian's Python, whose package it needs."""
import asyncio
import gc
import platform
import time
import tracemalloc

import aiohttp

import control

loop = asyncio.new_event_loop()
sessions = {}


async def body(session, url):
    async with session.get(url) as response:
        response.raise_for_status()
        return await response.text()


async def fetch_all(values):
    keepalive = values["keepalive"] == "1"
    if keepalive not in sessions:  # the lab's certificate is its own
        connector = aiohttp.TCPConnector(limit=0, force_close=True, ssl=False) if not keepalive \
            else aiohttp.TCPConnector(limit=0, keepalive_timeout=60, ssl=False)
        sessions[keepalive] = aiohttp.ClientSession(connector=connector)
    return await asyncio.gather(*(body(sessions[keepalive], values["url"]) for _ in range(int(values["count"]))))


def fetch(values):
    return loop.run_until_complete(fetch_all(values))


def answer(values):
    control.send("ok", answer=",".join(fetch(values)))


def run(values):
    iterations = int(values["iterations"])
    began = time.perf_counter()
    for _ in range(iterations):
        fetch(values)
    seconds = (time.perf_counter() - began) / iterations
    control.reading("time", seconds, "s")
    control.reading("iterations/s", 1 / seconds, "1/s")

    # What is freed by reference counts is not seen: only what is left.
    gc.collect()
    tracemalloc.start()
    bodies = fetch(values)
    gc.collect()
    control.reading("retained", tracemalloc.get_traced_memory()[0], "B")
    tracemalloc.stop()
    if len(bodies) != int(values["count"]):
        raise ValueError(f"{len(bodies)} of {values['count']} requests were answered")
    control.send("ok")


if __name__ == "__main__":
    control.serve(f"Python {platform.python_version()}", {"answer": answer, "run": run})
    for session in sessions.values():
        loop.run_until_complete(session.close())
