"""What a worker may be asked in WorkerCompliance, in Python."""

import asyncio
import logging
import os
import subprocess
import sys
import time
import typing

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../workers/python"))
from weir_worker import Call, StatusError, current_call, operation, run  # noqa: E402

configuration = {}


@operation("Compliance/Add")
def add(a: int, b: int) -> int:
    return a + b


@operation("Compliance/Later")
async def later(text: str) -> str:
    await asyncio.sleep(0)
    return text


@operation("Compliance/Echo")
def echo(text: str) -> str:
    return text


@operation("Compliance/Maybe")
def maybe(text: typing.Optional[str]) -> typing.Optional[str]:
    return text


@operation("Compliance/Reverse")
def reverse(prefix: str, data: bytes) -> bytes:
    return prefix.encode() + data[::-1]


@operation("Compliance/Sum")
def sum_(numbers: typing.List[int], start: int = 10) -> int:
    return start + sum(numbers)


@operation("Compliance/Nothing")
def nothing() -> None:
    pass


@operation("Compliance/Fail")
def fail(message: str):
    raise ValueError(message)


@operation("Compliance/Refuse")
def refuse(status: int):
    raise StatusError(status, "refused", {"X-Reason": "test"})


@operation("Compliance/Huge")
def huge(length: int) -> str:
    return "x" * length


@operation("Compliance/Count")
def count(n: int):
    yield from range(n)


@operation("Compliance/CountLater")
async def count_later(n: int):
    for i in range(n):
        await asyncio.sleep(0)
        yield i


@operation("Compliance/CountAndFail")
def count_and_fail(n: int):
    yield from range(n)
    raise ValueError(f"after {n}")


@operation("Compliance/Wait")
def wait(call: Call):
    while not call.wait(60):
        pass
    call.raise_if_cancelled()


@operation("Compliance/WaitLater")
async def wait_later():
    await asyncio.sleep(600)


@operation("Compliance/Spin")
def spin():
    while not current_call().cancelled:
        pass
    current_call().raise_if_cancelled()


@operation("Compliance/Ignore")
def ignore(milliseconds: int) -> str:
    print("ignoring", flush=True)
    time.sleep(milliseconds / 1000)
    return "done"


@operation("Compliance/Remaining")
def remaining(call: Call) -> int:
    return -1 if call.remaining is None else int(call.remaining * 1000)


@operation("Compliance/Report")
def report(times: int, call: Call) -> str:
    if call.job is None:
        return "direct"
    for i in range(1, times + 1):
        call.job.report(i / times, f"{i} of {times}")
    if times < 0:
        call.job.report(-2 * times, "x" * 1000)
    return f"{call.job.id[:4]} {call.job.attempt} {call.job.fence} {call.job.key}"


@operation("Compliance/ReportAndSpin")
def report_and_spin(call: Call):
    call.job.report(0.25, "begins")
    call.job.report(0.5, "spins")
    while True:
        call.raise_if_cancelled()


@operation("Compliance/Print")
def print_(text: str) -> None:
    print(text)
    print(text, file=sys.stderr)
    logging.getLogger("compliance").warning("logged %s", text)


@operation("Compliance/Exit")
def exit_(code: int):
    sys.exit(code)


@operation("Compliance/Exhaust")
def exhaust():
    raise MemoryError()


@operation("Compliance/Spawn")
def spawn() -> int:
    return subprocess.Popen(["sleep", "1000"]).pid


@operation("Compliance/Configured")
def configured() -> str:
    return configuration["word"]


late_answers = 0


@operation("Compliance/Late")
def late(id: int, waits: bool, call: Call) -> int:
    global late_answers
    if waits and call.wait(20):
        late_answers += 1
    return id


@operation("Compliance/LateCount")
def late_count() -> int:
    return late_answers


def setup(startup):
    if startup.configuration.get("start") == "throw":
        raise RuntimeError("no database")
    if startup.configuration.get("start") == "exit":
        os._exit(5)
    if startup.configuration.get("start") == "linger":
        print("building services", flush=True)
        time.sleep(0.5)
    configuration.update(startup.configuration)


if __name__ == "__main__":
    run(setup, cleanup=lambda: print("cleaned up"))
