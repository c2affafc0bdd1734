"""concurrent.futures.ProcessPoolExecutor as a contender."""
import os
import platform
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait

import control
import tasks

WORKERS = 2
KINDS = {"Load": tasks.load, "Nothing": tasks.nothing, "Hash": tasks.hashed}


def in_flight(pool, window, calls):
    """Keeps a window of calls in flight; yields the index and the future of each that has ended."""
    pending = {}
    for index, (function, *arguments) in enumerate(calls):
        pending[pool.submit(function, *arguments)] = index
        if len(pending) >= window:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                yield pending.pop(future), future
    for future in wait(pending).done:
        yield pending.pop(future), future


def answer(values):
    data = bytes(i % 256 for i in range(int(values["bytes"])))
    control.send("ok", answer=executor.submit(tasks.hashed, data).result())


def one_at_a_time(values):
    function, size, count = KINDS[values["kind"]], int(values["bytes"]), int(values["count"])
    times = []
    began = time.perf_counter()
    for _ in range(count):
        before = time.perf_counter()
        executor.submit(function, bytes(size)).result()
        times.append(time.perf_counter() - before)
    seconds = time.perf_counter() - began
    times.sort()
    control.reading("tasks/s", count / seconds, "1/s")
    control.reading("p50", times[count // 2] * 1e6, "µs")
    control.reading("p99", times[int(count * 0.99)] * 1e6, "µs")
    control.send("ok")


def many(values):
    function, size, count = KINDS[values["kind"]], int(values["bytes"]), int(values["count"])
    began = time.perf_counter()
    for _, future in in_flight(executor, int(values["window"]), ((function, bytes(size)) for _ in range(count))):
        future.result()
    control.reading("tasks/s", count / (time.perf_counter() - began), "1/s")
    control.send("ok")


def chaos(values):
    """Every call's ending as the caller saw it, into a file; the lab compares it with what the workers wrote."""
    folder, count = values["folder"], int(values["count"])
    with open(os.path.join(folder, "host"), "w", encoding="ascii") as log, ProcessPoolExecutor(WORKERS) as own:
        number = 0
        try:
            for number, future in in_flight(own, int(values["window"]), ((tasks.witnessed, folder, n) for n in range(count))):
                log.write(f"{'ok' if future.exception() is None else 'failed'} {number}\n")
        except Exception:  # the pool itself is broken: what was not submitted never runs
            control.send("event", at=0, what="pool broken", value=number)
    control.send("ok")


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    executor = ProcessPoolExecutor(WORKERS)
    control.serve(
        f"Python {platform.python_version()}",
        {"answer": answer, "tasks": one_at_a_time, "pool": many, "chaos": chaos},
    )
    executor.shutdown()
