"""concurrent.futures.ProcessPoolExecutor as a contender: pool.py [workers]"""
import os
import platform
import queue
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

import control
import tasks

WORKERS = int(sys.argv[1]) if len(sys.argv) > 1 else 2
BATCH = 4096
CHUNK = 64
KINDS = {"Load": tasks.load, "Nothing": tasks.nothing, "Hash": tasks.hashed}
ANSWER_LENGTH = {"Load": 88, "Nothing": 0, "Hash": 88}


def checked(kind, result):
    """A task that answers something else was not done."""
    if result is None or len(result) != ANSWER_LENGTH[kind]:
        raise ValueError(f"a task answered {result!r}")


def answer(values):
    data = bytes(i % 256 for i in range(int(values["bytes"])))
    control.send("ok", answer=executor.submit(tasks.hashed, data).result())


def one_at_a_time(values):
    kind, size, count = values["kind"], int(values["bytes"]), int(values["count"])
    function = KINDS[kind]
    times = []
    began = time.perf_counter()
    for _ in range(count):
        before = time.perf_counter()
        checked(kind, executor.submit(function, bytes(size)).result())
        times.append(time.perf_counter() - before)
    seconds = time.perf_counter() - began
    times.sort()
    control.reading("tasks/s", count / seconds, "1/s")
    control.reading("p50", times[count // 2] * 1e6, "µs")
    control.reading("p99", times[int(count * 0.99)] * 1e6, "µs")
    control.send("ok")


def many(values):
    """A window in flight until so many were begun ('count'), or for so long ('seconds')."""
    kind, size, window = values["kind"], int(values["bytes"]), int(values["window"])
    count, seconds = int(values.get("count", sys.maxsize)), float(values.get("seconds", "inf"))
    function = KINDS[kind]
    ended = queue.SimpleQueue()  # to wait for one of all pending futures would look at each of them
    begun = done = 0
    began = time.perf_counter()
    while begun == 0 or (begun < count and time.perf_counter() - began < seconds):
        executor.submit(function, bytes(size)).add_done_callback(ended.put)
        begun += 1
        if begun - done >= window:
            checked(kind, ended.get().result())
            done += 1
    while done < begun:
        checked(kind, ended.get().result())
        done += 1
    control.reading("tasks/s", begun / (time.perf_counter() - began), "1/s")
    control.send("ok")


def batches(values):
    """The same through map, in chunks, one batch after the other for so long."""
    kind, size, seconds = values["kind"], int(values["bytes"]), float(values["seconds"])
    done = 0
    began = time.perf_counter()
    while done == 0 or time.perf_counter() - began < seconds:
        for result in executor.map(KINDS[kind], (bytes(size) for _ in range(BATCH)), chunksize=CHUNK):
            checked(kind, result)
            done += 1
    control.reading("tasks/s", done / (time.perf_counter() - began), "1/s")
    control.send("ok")


def chaos(values):
    """What was called and every ending as the caller saw it, into a file; the lab compares it with what the workers wrote."""
    folder, count, window = values["folder"], int(values["count"]), int(values["window"])
    ends = time.perf_counter() + float(values["seconds"])
    enough = os.path.join(folder, "enough")
    with open(os.path.join(folder, "host"), "w", encoding="ascii", buffering=1) as log, ProcessPoolExecutor(WORKERS) as own:
        pending = {}

        def end(futures):
            for future in futures:
                log.write(f"{'ok' if future.exception() is None else 'failed'} {pending.pop(future)}\n")

        number = 0
        try:
            while time.perf_counter() < ends and (number < count or not os.path.exists(enough)):
                log.write(f"made {number}\n")
                pending[own.submit(tasks.witnessed, folder, number)] = number
                number += 1
                if len(pending) >= window:
                    end(wait(pending, return_when=FIRST_COMPLETED).done)
        except BrokenProcessPool:  # it takes no more, and says so
            log.write(f"failed {number}\n")
            control.send("event", at=0, what="pool broken", value=number)
        end(wait(pending).done)
    control.send("ok")


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    executor = ProcessPoolExecutor(WORKERS)
    control.serve(
        f"Python {platform.python_version()}",
        {"answer": answer, "tasks": one_at_a_time, "pool": many, "batch": batches, "chaos": chaos},
    )
    executor.shutdown()
