"""What a worker may be asked in WorkerCompliance, in Python."""

import asyncio
import hashlib
import io
import logging
import os
import subprocess
import sys
import time
import typing

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../workers/python"))
from weir_worker import AsyncContent, AsyncFile, Call, Content, File, StatusError, User, current_call, operation, run, shared_data  # noqa: E402

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


# Content and files.


def digest(pieces):
    length, hashed = 0, hashlib.sha256()
    for piece in pieces:
        length += len(piece)
        hashed.update(piece)
    return f"{length} {hashed.hexdigest()}"


def described(file, read):
    return f"{file.name}|{file.file_name}|{file.content_type}|{file.length}|{file.headers.get('X-Part')}|{read}"


@operation("Compliance/Upload")
def upload(label: str, content: Content) -> str:
    return f"{label} {digest(content.pieces())}"


@operation("Compliance/UploadLater")
async def upload_later(label: str, content: AsyncContent) -> str:
    pieces = [piece async for piece in content]
    return f"{label} {digest(pieces)}"


@operation("Compliance/UploadPart")
def upload_part(length: int, content: Content) -> str:
    return digest([io.BufferedReader(content).read(length)])


@operation("Compliance/UploadNone")
def upload_none(content: Content) -> str:
    return "none"


@operation("Compliance/Download")
def download(length: int, call: Call):
    call.response.headers["Content-Type"] = "image/png"
    call.response.headers["Content-Disposition"] = "attachment; filename=a.png"
    return (bytes(range(256)) * 256 if left >= 65536 else (bytes(range(256)) * 256)[:left] for left in range(length, 0, -65536))


@operation("Compliance/DownloadFile")
def download_file(length: int, call: Call):
    call.response.headers["ETag"] = '"v1"'
    return io.BytesIO((bytes(range(256)) * (length // 256 + 1))[:length])


@operation("Compliance/DownloadAndFail")
def download_and_fail(length: int):
    yield b"x" * length
    raise ValueError("after the first bytes")


@operation("Compliance/DownloadDeclared")
def download_declared(declared: int, sent: int, call: Call):
    call.response.status = 203
    call.response.headers["Content-Length"] = str(declared)
    return iter([b"y" * sent])


@operation("Compliance/DownloadEndless")
def download_endless():
    try:
        while True:
            yield b"z" * 65536
    finally:
        print("closed", flush=True)


@operation("Compliance/EchoContent")
def echo_content(content: Content):
    yield from content.pieces()


@operation("Compliance/EchoContentLater")
async def echo_content_later(content: AsyncContent):
    while piece := await content.read(50_000):
        yield piece


@operation("Compliance/TakeFile")
def take_file(label: str, file: typing.Optional[File]) -> str:
    return "none" if file is None else f"{label} {described(file, digest(file.pieces()))}"


@operation("Compliance/TakeFiles")
def take_files(files: typing.Iterator[File]) -> list:
    return [described(file, digest(file.pieces())) for file in files]


@operation("Compliance/TakeFilesLater")
async def take_files_later(files: typing.AsyncIterator[AsyncFile]) -> list:
    return [described(file, digest([piece async for piece in file])) async for file in files]


@operation("Compliance/SkipFiles")
def skip_files(files: typing.Iterator[File]) -> str:
    return " ".join(file.file_name for file in files)


@operation("Compliance/SumItems")
def sum_items(numbers: typing.Iterator[int]) -> int:
    return sum(numbers)


@operation("Compliance/WhoCalls")
def who_calls(user: User, call: Call) -> str:
    return f"{user.name}|{user.find('tenant')}|{user.is_in_role('admin')}|{user.is_authenticated}" if call.user else "no caller"


@operation("Compliance/ReadShared")
def read_shared(name: str) -> str:
    return digest([shared_data(name)])


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
