"""Serves operations of a Weir host from Python: one file, no dependencies, Python 3.8 or newer, Linux.

    from weir_worker import operation, run

    @operation("Text/Shout")
    def shout(text: str, times: int = 1) -> str:
        return text.upper() * times

    if __name__ == "__main__":
        run()

An operation is a function, a generator (a stream), or either with ``async``. Arguments come by name; what does not fit
the annotations is answered as bad arguments before the function runs. ``current_call()`` has the cancellation and the
deadline, the caller, and the job where it runs as one; records of ``logging`` appear in the host's log, and so does printed output.

Bytes of any length come as ``Content`` or ``File``, which are binary files to read, and are returned as a binary file or as
an iterator of bytes, where the host's contract says so:

    @operation("Scans/Convert")
    def convert(scan: File, call: Call):
        call.response.headers["Content-Type"] = "image/png"
        return converted(scan)

Two threads: the main thread reads calls and runs them one after the other; ``weir-control`` reads the control channel at
the same time. An asyncio loop runs only while a call runs. Written from docs/protocol.md, version 1.
"""

import asyncio
import base64
import collections
import collections.abc
import ctypes
import dataclasses
import datetime
import enum
import inspect
import io
import json
import logging
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
import traceback
import typing
import uuid

__all__ = [
    "operation", "run", "current_call", "shared_data", "Call", "Job", "Response", "User", "Startup", "Cancelled", "RequestAborted", "StatusError",
    "Content", "AsyncContent", "File", "AsyncFile",
]

VERSION = 1
MOST_PAYLOAD = 64 << 20
MOST_DESCRIPTION = 1 << 20
MOST_AHEAD = 65_536
MOST_CREDIT = 1 << 30

MOST_PIECE = 64 << 10  # Of content, in one frame.
MOST_STACK = MOST_CALLER = 64 << 10

DATA, CONTROL, PAGE, FIRST_SHARED = 3, 4, 5, 6
EXIT_START_FAILED, EXIT_HOST_BROKE, EXIT_CHANNEL_ENDED, EXIT_OUT_OF_MEMORY, EXIT_USAGE = 1, 2, 3, 4, 64


# ---- What a program uses.


class Cancelled(Exception):
    """Raised by ``Call.raise_if_cancelled``: the host does not need the result any more. Do not catch it."""


class RequestAborted(OSError):
    """Raised where content, files or items are read: what the caller sends has failed before its end. What was read so far is incomplete."""


class StatusError(Exception):
    """Completes a call with an HTTP status that the operation chooses, 300 to 599."""

    def __init__(self, status: int, content: typing.Optional[str] = None, headers: typing.Optional[typing.Mapping[str, str]] = None):
        if not 300 <= status <= 599:
            raise ValueError(f"status is {status}; give 300 to 599")
        super().__init__(f"{status} {content or ''}".rstrip())
        self.status, self.content, self.headers = status, content, dict(headers or {})


class Startup(typing.NamedTuple):
    """What ``run(setup)`` passes to ``setup`` before the worker is ready."""

    pool: str
    configuration: typing.Mapping[str, str]


class Response:
    """What is sent in front of a result: ``Call.response``. It is sent with the first bytes or the first item, or with the result."""

    def __init__(self):
        #: 200 to 599; ``None`` for the usual one.
        self.status: typing.Optional[int] = None
        self.headers: typing.Dict[str, str] = {}


class User:
    """The caller: ``Call.user``, and what a parameter with this annotation gets. Claims are dicts with type, value, valueType and issuer."""

    def __init__(self, encoded: typing.Optional[bytes] = None):
        #: As the host sent them: authenticationType, nameType, roleType, claims.
        self.identities: typing.List[dict] = json.loads(encoded)["identities"] if encoded else []

    @property
    def is_authenticated(self) -> bool:
        return any(one.get("authenticationType") for one in self.identities)

    @property
    def name(self) -> typing.Optional[str]:
        return next((claim["value"] for one in self.identities for claim in one.get("claims", ()) if claim["type"] == one.get("nameType")), None)

    @property
    def claims(self) -> typing.List[dict]:
        return [claim for one in self.identities for claim in one.get("claims", ())]

    def find(self, type: str) -> typing.Optional[str]:
        """The value of the first claim of this type."""
        return next((claim["value"] for claim in self.claims if claim["type"] == type), None)

    def is_in_role(self, role: str) -> bool:
        return any(claim["type"] == one.get("roleType") and claim["value"] == role for one in self.identities for claim in one.get("claims", ()))


class Content(io.RawIOBase):
    """Bytes of any length that the caller sends: a binary file that is read once, forward, on one thread at a time. The caller
    sends them as they are read; ``read(n)`` may return fewer than ``n``, as raw files do: ``io.BufferedReader(content)`` never does."""

    def __init__(self, source):
        super().__init__()
        self._source, self._piece = source, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        piece, into = self._fill(), memoryview(buffer).cast("B")
        count = min(len(piece), len(into))
        into[:count] = piece[:count]
        self._piece = piece[count:]
        return count

    def peek(self, size: int = 0) -> bytes:
        """What was received and not read, at least one byte before the end. With it ``readline`` is not slow."""
        return bytes(self._fill())

    def readall(self) -> bytes:
        return b"".join(self.pieces())

    def pieces(self) -> typing.Iterator[bytes]:
        """What is left, in the pieces in which it arrives; a loop over the content itself gives lines."""
        while self._fill():
            piece, self._piece = self._piece, b""
            yield piece

    def _fill(self):
        if self.closed:
            raise ValueError("the content was closed")
        while not self._piece:
            piece = self._source.next_piece(self)
            if piece is None:
                return b""
            self._piece = memoryview(piece)
        return self._piece


class AsyncContent:
    """``Content`` for asynchronous functions: ``await content.read(n)``, or ``async for piece in content``."""

    def __init__(self, source):
        self._source, self._piece = source, b""

    async def read(self, size: int = -1) -> bytes:
        """The next bytes, at most ``size``, and fewer where fewer have arrived; nothing at the end. Without a size everything that is left."""
        if size is None or size < 0:
            return b"".join([piece async for piece in self])
        piece = await self._fill() if size else b""
        self._piece = piece[size:]
        return bytes(piece[:size])

    def __aiter__(self):
        return self

    async def __anext__(self) -> bytes:
        piece, self._piece = await self._fill(), b""
        if not piece:
            raise StopAsyncIteration
        return piece

    async def _fill(self):
        while not self._piece:
            piece = await self._source.next_piece_async(self)
            if piece is None:
                return b""
            self._piece = memoryview(piece)
        return self._piece


class _Described:
    """What is known of a file before its bytes."""

    def __init__(self, source, descriptor):
        super().__init__(source)
        #: The field of the form, and what the caller says of the file: its name, media type and length, ``None`` where unknown.
        self.name: str = descriptor.get("name") or ""
        self.file_name: typing.Optional[str] = descriptor.get("fileName")
        self.content_type: typing.Optional[str] = descriptor.get("contentType")
        self.length: typing.Optional[int] = descriptor.get("length")
        self.headers: typing.Dict[str, str] = descriptor.get("headers") or {}


class File(_Described, Content):
    """A file that the caller sends: its description, and its bytes to read. Of several files (``Iterator[File]``) each is read, or
    not, before the next one is asked for."""


class AsyncFile(_Described, AsyncContent):
    """``File`` for asynchronous functions; several are an ``AsyncIterator[AsyncFile]``."""


class Job:
    """The job that a call is an attempt of: ``Call.job``. Any thread may use it."""

    def __init__(self, call_id, items, output):
        self.id: str = items["weir.job.id"]
        #: How often it was started, this time included.
        self.attempt = int(items.get("weir.job.attempt", "1"))
        #: A number that grows with each start, for conditional writes of your own.
        self.fence = int(items.get("weir.job.fence", "0"))
        #: When it was due, as text of ISO 8601.
        self.scheduled_for: typing.Optional[str] = items.get("weir.job.due")
        self.key: typing.Optional[str] = items.get("weir.job.key")
        self.submitter: typing.Optional[str] = items.get("weir.job.submitter")
        self._call_id, self._output = call_id, output

    def report(self, fraction: float, text: typing.Optional[str] = None) -> None:
        """Tells those who watch the job how far it is: 0 to 1, and what it does, of which 200 characters are kept. It never
        waits. The first report is sent at once and then at most ten a second, the latest each time; what is sent together
        with the end of the call may be dropped, and what comes after it is."""
        fraction = float(fraction)
        self._output.progress(self._call_id, min(1.0, max(0.0, fraction)) if fraction == fraction else 0.0, text)


class Call:
    """The call that runs. Any thread may read it; the control thread cancels it."""

    def __init__(self, call_id, target, fields, output=None):
        self.id = call_id
        self.operation = target.name
        self.traceparent, self.tracestate = fields.traceparent, fields.tracestate
        context = fields.context or NO_CONTEXT
        #: The caller's culture and culture of texts, as in BCP 47; ``None`` where they are this worker's own.
        self.culture, self.ui_culture = context.culture, context.ui_culture
        #: The baggage of the trace, in pairs, and those items of the call's context that are text.
        self.baggage, self.items = context.baggage, context.items
        #: The ``Job`` that this call is an attempt of; ``None`` for a direct call.
        self.job: typing.Optional[Job] = Job(call_id, self.items, output) if "weir.job.id" in self.items else None
        self._user = self._response = self._request = None  # Made when they are asked for.
        self._task = None  # The task of an asynchronous call.
        self._target, self._fields = target, fields
        self._changed = threading.Condition()
        self._credit = fields.credit
        self._cancelled = self._late = False
        self._deadline = None if fields.remaining < 0 else time.monotonic() + fields.remaining / 1000
        self._listener = None  # Called after every change, on the thread that made it: wakes the asyncio loop.
        self._alarm = None  # Called when the call is cancelled: wakes a thread that waits for content.

    @property
    def user(self) -> "typing.Optional[User]":
        """Who calls; ``None`` for a call from code without a caller, and where the pool does not send callers."""
        if self._user is None and self._fields.caller is not None:
            self._user = User(self._fields.caller)
        return self._user

    @property
    def response(self) -> Response:
        """Status and headers of the response, to be set before its first byte: before the function returns, or yields."""
        self._response = self._response or Response()
        return self._response

    @property
    def cancelled(self) -> bool:
        """Whether the host does not need the result any more. Code that continues is killed with this process after CancelGrace."""
        return self._cancelled or self._is_late()

    @property
    def remaining(self) -> typing.Optional[float]:
        """Seconds to the deadline; ``None`` without one."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def raise_if_cancelled(self) -> None:
        if self.cancelled:
            raise Cancelled()

    def wait(self, seconds: float) -> bool:
        """Sleeps, but no longer than until the call is cancelled. Returns whether it was cancelled."""
        with self._changed:
            return self._changed.wait_for(lambda: self.cancelled, seconds)

    def _is_late(self):
        # Compares with the clock as well: the thread that watches the deadline may be late.
        return self._late or (self._deadline is not None and time.monotonic() >= self._deadline)

    def _cancel(self, late=False):
        with self._changed:
            self._cancelled, self._late = True, self._late or late
            self._changed.notify_all()
            listener, alarm = self._listener, self._alarm
        if listener is not None:
            listener()
        if alarm is not None:
            alarm()

    def _grant(self, count):
        with self._changed:
            if self._credit + count > MOST_CREDIT:
                raise Broken("CreditOverflow", f"{self._credit} and {count} bytes of credit are more than {MOST_CREDIT}")
            self._credit += count
            self._changed.notify_all()
            listener = self._listener
        if listener is not None:
            listener()

    def _take_credit(self, length, wait):
        """Takes the cost of an item; without ``wait`` it may answer ``False``."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._credit > 0 or self.cancelled, self.remaining)
                self.raise_if_cancelled()
            elif self._credit <= 0:
                return False
            self._credit -= HEADER.size + length
            return True


_operations: "typing.Dict[str, Target]" = {}
_session: "typing.Optional[Session]" = None


def operation(name: str):
    """Registers a function as ``Service/Operation``."""

    def register(function):
        if name.lower() in _operations:
            raise ValueError(f"{name} is registered twice; names ignore case")
        _operations[name.lower()] = Target(name, function)
        return function

    return register


def current_call() -> Call:
    """The call that runs now; there is one at a time."""
    call = _session and _session.running
    if call is None:
        raise RuntimeError("no call runs")
    return call


def shared_data(name: str) -> memoryview:
    """The pool's shared data of this name, read-only: one copy in memory for all workers of the machine."""
    try:
        return _session.shared[name]
    except (KeyError, AttributeError):
        raise KeyError(f"the pool has no shared data '{name}'; name it in PoolOptions.SharedData of the host") from None


def run(setup: typing.Optional[typing.Callable[[Startup], None]] = None, cleanup: typing.Optional[typing.Callable[[], None]] = None) -> None:
    """Serves calls until the host drains this worker; then it returns, and the program should end.

    ``setup`` runs after HELLO and before the first call; what it raises is reported to the host as the start error.
    ``cleanup`` runs when the last call has completed, if the host drains the worker and does not kill it.
    """
    global _session
    if len(sys.argv) < 3 or sys.argv[-2] != "--host" or not sys.argv[-1].isdigit():
        print("This is a worker; a Weir host starts it with '--host <pid>' after its own arguments.", file=sys.stderr)
        sys.exit(EXIT_USAGE)

    # 1. Before anything else: exit with the host, also if the host has exited since it started this process.
    ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(sys.argv[-1]):
        os._exit(EXIT_CHANNEL_ENDED)
    del sys.argv[-2:]

    # 2. The channels: programs that this one starts, and its forks, must not inherit them.
    try:
        os.set_inheritable(DATA, False)
        os.set_inheritable(CONTROL, False)
        data, control = socket.socket(fileno=DATA), socket.socket(fileno=CONTROL)
    except OSError as error:
        print(f"Descriptors 3 and 4 are not the channels of a Weir host: {error}.", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    try:
        os.set_inheritable(PAGE, False)
    except OSError:
        pass  # Not open here; this worker does not use it.
    os.register_at_fork(after_in_child=lambda: (data.close(), control.close()))

    # 3. Ctrl+C in a terminal and the stop signal of a service manager are for the host, which then drains its workers. A
    #    handler, because an ignored signal would be ignored by the programs that this one starts as well.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)

    # 4. A printed line appears in the host's log as soon as it is complete.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(line_buffering=True)

    _session = Session(data, control, list(_operations.values()))
    _session.live(setup, cleanup)


# ---- Frames.

HEADER = struct.Struct("<IBBHQ")

CALL, ITEM, END, ABORT, CREDIT, STARTED, RESULT, ERROR = 1, 2, 3, 4, 5, 6, 7, 8
HELLO, READY, CANCEL, RETURNED, PING, PONG, DRAIN, LOG, BYE, SPACE, PROGRESS, STACK = 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28
NO_VALUE, RAW, FAILED, HEAD = 1, 2, 4, 8
DATA_DOWN, DATA_UP, CONTROL_DOWN, CONTROL_UP = 1, 2, 4, 8
ZERO, REQUIRED, OPTIONAL = 0, 1, 2
# The capabilities that this worker chooses where the host offers them; the first only where one of its operations takes items, content or files.
CAN_TAKE_ITEMS, CAN_SEND_HEADS, CAN_TAKE_CONTEXT, CAN_REPORT_PROGRESS, CAN_CARRY_CONTENT, CAN_KNOW_CALLER, CAN_SHOW_STACK, CAN_SHARE_DATA = 8, 32, 64, 128, 256, 512, 1024, 2048
CAN_ALWAYS = CAN_SEND_HEADS | CAN_TAKE_CONTEXT | CAN_REPORT_PROGRESS | CAN_CARRY_CONTENT | CAN_KNOW_CALLER | CAN_SHOW_STACK | CAN_SHARE_DATA

Rule = collections.namedtuple("Rule", "name routes flags least most call_id")  # most None: the reader's limit
RULES = {
    CALL: Rule("CALL", DATA_DOWN, 0, 24, None, REQUIRED),
    ITEM: Rule("ITEM", DATA_DOWN | DATA_UP, RAW, 0, None, REQUIRED),
    END: Rule("END", DATA_DOWN, 0, 0, 0, REQUIRED),
    ABORT: Rule("ABORT", DATA_DOWN, 0, 5, MOST_DESCRIPTION, REQUIRED),
    CREDIT: Rule("CREDIT", DATA_DOWN | DATA_UP | CONTROL_DOWN, 0, 4, 4, REQUIRED),
    STARTED: Rule("STARTED", DATA_UP, 0, 0, 0, REQUIRED),
    RESULT: Rule("RESULT", DATA_UP, NO_VALUE | RAW, 0, None, REQUIRED),
    ERROR: Rule("ERROR", DATA_UP, 0, 1, MOST_DESCRIPTION, REQUIRED),
    HELLO: Rule("HELLO", CONTROL_DOWN, 0, 28, MOST_DESCRIPTION, ZERO),
    READY: Rule("READY", CONTROL_UP, FAILED, 16, MOST_DESCRIPTION, ZERO),
    CANCEL: Rule("CANCEL", CONTROL_DOWN, 0, 1, 1, REQUIRED),
    RETURNED: Rule("RETURNED", CONTROL_UP, 0, 8, 8, REQUIRED),
    PING: Rule("PING", CONTROL_DOWN, 0, 8, 8, ZERO),
    PONG: Rule("PONG", CONTROL_UP, 0, 8, 8, ZERO),
    DRAIN: Rule("DRAIN", CONTROL_DOWN, 0, 0, 0, OPTIONAL),
    LOG: Rule("LOG", CONTROL_UP, 0, 28, MOST_DESCRIPTION, OPTIONAL),
    BYE: Rule("BYE", CONTROL_UP, 0, 5, MOST_DESCRIPTION, ZERO),
    SPACE: Rule("SPACE", CONTROL_DOWN, 0, 0, 0, ZERO),  # Not sent to workers without shared memory.
    PROGRESS: Rule("PROGRESS", CONTROL_UP, 0, 12, 812, REQUIRED),
    STACK: Rule("STACK", CONTROL_DOWN | CONTROL_UP, 0, 0, MOST_STACK, REQUIRED),
}

Frame = collections.namedtuple("Frame", "type flags call_id payload")


class Broken(Exception):
    """The host broke the protocol; the name goes into BYE."""

    def __init__(self, name, detail):
        super().__init__(f"{name}: {detail}")


class TooLong(Exception):
    """A payload of this worker is longer than the host accepts."""

    def __init__(self, length, limit):
        super().__init__(f"{length} bytes, the limit is {limit}")
        self.length, self.limit = length, limit


def frame_bytes(type_, call_id, payload=b"", flags=0):
    return HEADER.pack(len(payload), type_, flags, 0, call_id) + payload


class FrameReader:
    """Turns received bytes into frames. Its buffer grows with the bytes that arrive, never with the length that a header announces."""

    def __init__(self, routes, most=MOST_PAYLOAD):
        self._routes, self._most = routes, most
        self._bytes, self._header = bytearray(), None

    def feed(self, received):
        self._bytes += received

    def next(self):
        """The next whole frame, or ``None``."""
        if self._header is None:
            if len(self._bytes) < HEADER.size:
                return None
            self._header = self._check(*HEADER.unpack_from(self._bytes))
        length, type_, flags, call_id = self._header
        end = HEADER.size + length
        if len(self._bytes) < end:
            return None
        with memoryview(self._bytes) as view:
            payload = bytes(view[HEADER.size:end])
        del self._bytes[:end]
        self._header = None
        return Frame(type_, flags, call_id, payload)

    def _check(self, length, type_, flags, reserved, call_id):
        rule = RULES.get(type_)
        if rule is None:
            raise Broken("UnknownType", f"frame type {type_} is not assigned")
        if not rule.routes & self._routes:
            raise Broken("WrongRoute", f"{rule.name} is not allowed in this direction")
        heads = HEAD if type_ in (ITEM, RESULT) and self._routes & DATA_UP else 0  # Only a worker sends the head of a response.
        if flags & ~(rule.flags | heads):
            raise Broken("UnknownFlag", f"{rule.name} carries flags 0x{flags:02x}")
        if reserved:
            raise Broken("ReservedBits", f"the reserved bytes of {rule.name} are 0x{reserved:04x}")
        if (rule.call_id == REQUIRED and call_id == 0) or (rule.call_id == ZERO and call_id != 0):
            raise Broken("CallId", f"{rule.name} carries call id {call_id}")
        most = self._most if rule.most is None else rule.most
        if length > most or (flags & (NO_VALUE | HEAD) == NO_VALUE and type_ == RESULT and length):
            raise Broken("PayloadTooLong", f"{rule.name} announces {length} bytes, the limit is {most}")
        if length < rule.least:
            raise Broken("PayloadTooShort", f"{rule.name} announces {length} bytes, it needs {rule.least}")
        return length, type_, flags, call_id


class Fields:
    """Reads the fields of one payload; every length is checked before it is used."""

    def __init__(self, name, payload):
        self._name, self._payload, self._at = name, payload, 0

    def take(self, count):
        if count > len(self._payload) - self._at:
            raise self.malformed(f"{count} bytes are announced where {len(self._payload) - self._at} are left")
        self._at += count
        return self._payload[self._at - count:self._at]

    def number(self, layout):
        return struct.unpack("<" + layout, self.take(struct.calcsize("<" + layout)))[0]

    def zero(self, layout):
        if self.number(layout):
            raise self.malformed(f"the reserved field before byte {self._at} is not 0")

    def text(self):
        return self.take(self.number("I")).decode("utf-8", "replace")

    def count(self, layout, each):
        count = self.number(layout)
        if count * each > len(self._payload) - self._at:
            raise self.malformed(f"{count} entries are announced where {len(self._payload) - self._at} bytes are left")
        return count

    def finish(self):
        if self._at != len(self._payload):
            raise self.malformed(f"{len(self._payload) - self._at} bytes follow the last field")

    def malformed(self, detail):
        return Broken("MalformedPayload", f"{self._name}: {detail}")


def text(value, most=None):
    encoded = (value or "")[:most].encode("utf-8", "replace")
    return struct.pack("<I", len(encoded)) + encoded


# ---- The payloads.

Hello = collections.namedtuple("Hello", "least_version most_version capabilities most_payload log_level identity pool configuration shared", defaults=[()])
SharedData = collections.namedtuple("SharedData", "name length generation path")
CallFields = collections.namedtuple("CallFields", "operation raw_wished credit remaining traceparent tracestate values raw context caller", defaults=[None])
Context = collections.namedtuple("Context", "culture ui_culture baggage items")
NO_CONTEXT = Context(None, None, [], {})


def read_hello(payload):
    fields = Fields("HELLO", payload)
    least, most = fields.number("H"), fields.number("H")
    if least > most:
        raise fields.malformed(f"versions {least} to {most}")
    capabilities, most_payload, level = fields.number("I"), fields.number("I"), fields.number("B")
    if level > 6:
        raise fields.malformed(f"log level {level} is not assigned")
    fields.zero("B")
    fields.zero("H")
    identity, pool = fields.text(), fields.text()
    configuration = {fields.text(): fields.text() for _ in range(fields.count("I", 8))}
    shared = ()
    if capabilities & CAN_SHARE_DATA:  # The fields before may be missing only where it is not offered.
        fields.take(4)
        shared = tuple(SharedData(fields.text(), fields.number("Q"), fields.number("Q"), fields.text()) for _ in range(fields.count("H", 24)))
    return Hello(least, most, capabilities, most_payload, level, identity, pool, configuration, shared)


def read_call(payload, takes_context=False, takes_caller=False):
    fields = Fields("CALL", payload)
    target, wished = fields.number("H"), fields.number("B")
    if wished > 1:
        raise fields.malformed(f"result encoding {wished} is not assigned")
    fields.zero("B")
    credit, remaining = fields.number("I"), fields.number("q")
    if remaining < -1:
        raise fields.malformed(f"{remaining} ms are left of the deadline")
    parent_length = fields.number("B")
    fields.zero("B")
    state_length, parts = fields.number("H"), fields.number("H")
    fields.zero("H")
    traceparent, tracestate = fields.take(parent_length).decode("ascii", "replace"), fields.take(state_length).decode("ascii", "replace")
    values, raw, context, caller = None, [], None, None
    for _ in range(parts):
        kind = fields.number("B")
        if kind > 1 and not (kind == 3 and takes_context) and not (kind == 4 and takes_caller):
            raise fields.malformed(f"part kind {kind} is not assigned or not agreed")
        fields.zero("B")
        parameter = fields.number("H")
        part = fields.take(fields.number("I"))
        if kind == 1:
            raw.append((parameter, part))
        elif kind == 3:
            if parameter or context is not None:
                raise fields.malformed("two parts are the context" if context is not None else "the context has a parameter index")
            context = read_context(part)
        elif kind == 4:
            if parameter or caller is not None or len(part) > MOST_CALLER:
                raise fields.malformed("two parts are the caller" if caller is not None else "the caller has a parameter index" if parameter else f"the caller has {len(part)} bytes")
            caller = part
        elif parameter or values is not None:
            raise fields.malformed("two parts are JSON" if values is not None else "the JSON part has a parameter index")
        else:
            values = part
    fields.finish()
    return CallFields(target, wished == 1, credit, remaining, traceparent or None, tracestate or None, values, raw, context, caller)


def read_context(part):
    fields = Fields("CALL", part)
    has_culture = fields.number("B")
    if has_culture > 1:
        raise fields.malformed(f"{has_culture} is neither 0 (no culture) nor 1 (a culture)")
    culture, ui_culture = (fields.text(), fields.text()) if has_culture else (None, None)
    baggage = [(fields.text(), fields.text()) for _ in range(fields.count("H", 8))]
    items = {fields.text(): fields.text() for _ in range(fields.count("H", 8))}
    fields.finish()
    return Context(culture, ui_culture, baggage, items)


def ready_payload(pid, names, capabilities=0, identity="", hashes=None):
    table = b"".join(text(name) + struct.pack("<Q", hashes[i] if hashes else 0) for i, name in enumerate(names))
    return struct.pack("<HHIIi", VERSION, 0, capabilities, MOST_PAYLOAD, pid) + text(identity) + struct.pack("<I", len(names)) + table


def failed_payload(phase, type_name, message, stack):
    return text(phase, 1024) + text(type_name, 1024) + text(message, 32_768) + text(stack, 65_536)


def error_failed(type_name, message, stack):
    return b"\x01" + text(type_name, 1024) + text(message, 32_768) + text(stack, 65_536)


def error_status(status, content, headers):
    pairs = b"".join(text(name) + text(value) for name, value in headers.items())
    return struct.pack("<BHB", 2, status, content is not None) + text(content) + struct.pack("<H", len(headers)) + pairs


def error_arguments(errors):
    kept = errors[:256]
    entries = b"".join(text(name, 256) + text("frame") + text(reason) + text(expected, 256) for name, reason, expected in kept)
    return struct.pack("<BH", 3, len(kept)) + entries


def error_too_large(length, limit):
    return struct.pack("<BQQ", 7, length, limit)


ERROR_CANCELLED, ERROR_DEADLINE, ERROR_MEMORY = b"\x04", b"\x05", b"\x06"


TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


def response_head(status, headers):
    """What an ITEM or RESULT with HEAD begins with."""
    if status is not None and not 200 <= status <= 599:
        raise ValueError(f"the status of the response is {status}; give 200 to 599")
    fields = struct.pack("<HH", status or 0, len(headers))
    for name, value in headers.items():
        if not name or not TOKEN.issuperset(name) or not {"\r", "\n", "\0"}.isdisjoint(str(value)):
            raise ValueError(f"the header {name!r} of the response has a name or a value that HTTP does not allow")
        fields += text(name) + text(str(value))
    if len(fields) > 65_536:
        raise ValueError(f"the headers of the response have {len(fields)} bytes; at most 65536 can be sent")
    return struct.pack("<I", len(fields)) + fields


def log_payload(level, event_id, dropped, event_name, category, message, exception):
    head = struct.pack("<BBHiI", level, 0, 0, event_id, dropped)
    return head + text(event_name, 1024) + text(category, 1024) + text(message, 16_384) + text(exception, 16_384)


def progress_payload(fraction, what):
    return struct.pack("<d", fraction) + text(what, 200)


def bye_payload(reason, message=""):
    return bytes((reason,)) + text(message, 32_768)


BYE_DRAINED, BYE_HOST_BROKE, BYE_MEMORY, BYE_START_FAILED = 1, 2, 3, 4


# ---- Arguments and results.


def plain(name):
    """``fruitCount``, ``FruitCount`` and ``fruit_count`` are one name."""
    return name.replace("_", "").lower()


class Target:
    """One operation: the function, and how its arguments come."""

    def __init__(self, name, function):
        self.name, self.function = name, function
        hints = typing.get_type_hints(function)
        parameters = inspect.signature(function).parameters.values()
        for one in parameters:
            if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY):
                raise TypeError(f"{name}: {one} cannot be filled by name")
        self.call_parameters = [one.name for one in parameters if hints.get(one.name) is Call]
        self.user_parameters = [one.name for one in parameters if hints.get(one.name) in (User, typing.Optional[User])]
        given = (*self.call_parameters, *self.user_parameters)
        self.parameters = [(one.name, hints.get(one.name, typing.Any), one.default) for one in parameters if one.name not in given]
        # A generator's code has not run when it is returned: what it sets of the response comes with its first item.
        self.is_generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        streamed = [one for one in (Streamed.of(parameter, kind) for parameter, kind, _ in self.parameters) if one is not None]
        if len(streamed) > 1:
            raise TypeError(f"{name}: {' and '.join(one.name for one in streamed)} are streamed; a call has one such parameter")
        self.streamed = streamed[0] if streamed else None
        if self.streamed is not None and self.streamed.is_async and not (inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)):
            raise TypeError(f"{name}: {self.streamed.name} is asynchronous, and the function is not; make it 'async def', or annotate Content, File or Iterator")

    def bind(self, call):
        """The arguments by name; all errors together are a ``BadArguments``."""
        errors, given = [], {plain(name): name for name, _, _ in self.parameters}
        arguments = dict.fromkeys(self.call_parameters, call)
        for name in self.user_parameters:
            arguments[name] = call.user or User()
        kinds = {name: kind for name, kind, _ in self.parameters}

        def take(name, value, convert):
            if name in arguments:
                errors.append((name, "duplicate", "one value, in one place"))
            else:
                arguments[name] = convert(value, kinds[name], name, errors)

        for name, value in self._members(call._fields.values, errors):
            if plain(name) in given:  # An argument without a parameter is ignored.
                take(given[plain(name)], value, convert_json)
        for index, value in call._fields.raw:
            take(self.parameters[index][0], value, convert_bytes)
        if call._request is not None and not errors:
            self.streamed.open(call, arguments, errors)
        for name, kind, default in self.parameters:
            if name not in arguments and default is inspect.Parameter.empty:
                if allows_none(kind):
                    arguments[name] = None
                else:
                    errors.append((name, "missing", expected(kind)))
        if errors:
            raise BadArguments(errors)
        return arguments

    @staticmethod
    def _members(values, errors):
        if values is None:
            return []
        try:
            # Pairs, not a dict: a member that occurs twice is an error; a dict would keep the last one.
            members = json.loads(values, object_pairs_hook=Members, parse_constant=refuse_constant)
        except (ValueError, RecursionError) as error:
            errors.append(("$", "malformed", f"JSON; {error}"))
            return []
        if not isinstance(members, Members):
            errors.append(("$", "invalid", "a JSON object with a member per argument"))
            return []
        return members


class Streamed:
    """A parameter whose argument comes while the call runs: content, a file, files, or items."""

    def __init__(self, name, shape, is_async, item=None, optional=False):
        self.name, self.shape, self.is_async, self.item, self.optional = name, shape, is_async, item, optional

    @classmethod
    def of(cls, name, kind):
        """``None`` where the annotation says that the argument comes with the call."""
        some = [one for one in typing.get_args(kind) if one is not type(None)] if typing.get_origin(kind) in UNION_TYPES else [kind]
        kind, optional = (some[0] if len(some) == 1 else None), kind is not some[0]
        if kind in (Content, AsyncContent, typing.BinaryIO):
            return cls(name, "content", kind is AsyncContent)
        if kind in (File, AsyncFile):
            return cls(name, "file", kind is AsyncFile, optional=optional)
        origin, item = typing.get_origin(kind), (typing.get_args(kind) or (typing.Any,))[0]
        if origin in (collections.abc.Iterator, collections.abc.AsyncIterator):
            is_async = origin is collections.abc.AsyncIterator
            if item in (Content, AsyncContent) or (item in (File, AsyncFile) and (item is AsyncFile) != is_async):
                raise TypeError(f"{name} is annotated {kind}; give Content, AsyncContent, Iterator[File] or AsyncIterator[AsyncFile]")
            return cls(name, "files" if item in (File, AsyncFile) else "items", is_async, item)
        return None

    def open(self, call, arguments, errors):
        if self.name in arguments:
            errors.append((self.name, "duplicate", "one value, in one place"))
            return
        request = call._request
        if self.shape == "content":
            arguments[self.name] = (AsyncContent if self.is_async else Content)(Body(request))
        elif self.shape == "items":
            arguments[self.name] = Items(request, self.name, self.item)
        else:
            files = Files(request, AsyncFile if self.is_async else File)
            arguments[self.name] = files if self.shape == "files" else next(files, None)  # Its description comes before the function runs.
            if arguments[self.name] is None and not self.optional:
                errors.append((self.name, "missing", "a file"))


class Members(list):
    """The members of a JSON object, in order."""

    def to_dict(self):
        return {name: value for name, value in self}


class BadArguments(Exception):
    def __init__(self, errors):
        super().__init__("; ".join(f"{name}: {reason}" for name, reason, _ in errors))
        self.errors = errors


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


UNION_TYPES = (typing.Union, getattr(__import__("types"), "UnionType", typing.Union))


def allows_none(kind):
    return kind is type(None) or (typing.get_origin(kind) in UNION_TYPES and type(None) in typing.get_args(kind))


def expected(kind):
    names = {str: "text", int: "a whole number", float: "a number", bool: "true or false", bytes: "bytes", type(None): "null"}
    if typing.get_origin(kind) in UNION_TYPES:
        return " or ".join(expected(one) for one in typing.get_args(kind))
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return ", ".join(one.name for one in kind)
    origin = typing.get_origin(kind) or kind
    return names.get(kind) or ("an array" if origin in LISTS else "an object" if origin is dict or dataclasses.is_dataclass(kind) else "a value")


LISTS = (list, tuple, set, frozenset, collections.abc.Sequence, collections.abc.Iterable)
BYTES = (bytes, bytearray, memoryview)


def convert_bytes(value, kind, name, errors):
    if kind is typing.Any or any(one in (kind, *typing.get_args(kind)) for one in BYTES):
        return value
    errors.append((name, "invalid", expected(kind)))
    return None


def convert_json(value, kind, path, errors):
    """Checks a JSON value against an annotation; an annotation without a rule takes the value as it is."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if value is None and not allows_none(kind) and kind not in (typing.Any, object):
        errors.append((path, "null", expected(kind)))
        return None
    if origin in UNION_TYPES:
        if value is None and allows_none(kind):
            return None
        for one in (one for one in arguments if one is not type(None)):
            found = []
            converted = convert_json(value, one, path, found)
            if not found:
                return converted
        errors.extend(found if len(arguments) == 2 else [(path, "invalid", expected(kind))])
        return None
    shape = origin or kind
    fits, converted = True, value
    if shape is bool:
        fits = isinstance(value, bool)
    elif shape is int:
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif shape is float:
        # What JSON cannot hold as a number is its name.
        fits = (isinstance(value, (int, float)) and not isinstance(value, bool)) or value in ("NaN", "Infinity", "-Infinity")
        converted = float(value) if fits else value
    elif shape is str:
        fits = isinstance(value, str)
    elif shape in BYTES:
        fits = False  # Bytes are sent beside the JSON.
    elif shape in LISTS:
        fits = isinstance(value, list) and not isinstance(value, Members)
        if fits:
            each = arguments[0] if arguments else typing.Any
            converted = [convert_json(one, each, f"{path}[{i}]", errors) for i, one in enumerate(value)]
            converted = converted if shape not in (tuple, set, frozenset) else shape(converted)
    elif shape is dict:
        fits = isinstance(value, Members)
        if fits:
            each = arguments[1] if arguments else typing.Any
            converted = {name: convert_json(one, each, f"{path}.{name}", errors) for name, one in value}
    elif isinstance(kind, type) and issubclass(kind, enum.Enum):
        named = {one.name.lower(): one for one in kind}
        fits = isinstance(value, str) and value.lower() in named
        converted = named[value.lower()] if fits else value
    elif dataclasses.is_dataclass(kind):
        fits = isinstance(value, Members)
        if fits:
            return convert_dataclass(value, kind, path, errors)
    elif isinstance(value, (Members, list)):
        return unwrap(value)
    if not fits:
        errors.append((path, "invalid", expected(kind)))
    return converted


def convert_dataclass(members, kind, path, errors):
    before, hints, values = len(errors), typing.get_type_hints(kind), {}
    by_name = {plain(field.name): field for field in dataclasses.fields(kind) if field.init}
    for name, value in members:
        field = by_name.get(plain(name))
        if field is not None:
            values[field.name] = convert_json(value, hints[field.name], f"{path}.{field.name}", errors)
    for field in by_name.values():
        if field.name not in values and field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            errors.append((f"{path}.{field.name}", "missing", expected(hints[field.name])))
    return kind(**values) if len(errors) == before else None


def unwrap(value):
    """JSON as Python usually sees it, where no annotation says more."""
    if isinstance(value, Members):
        return {name: unwrap(one) for name, one in value}
    return [unwrap(one) for one in value] if isinstance(value, list) else value


def encode(value, raw_wished):
    """A value and the flags of its frame."""
    if raw_wished and isinstance(value, BYTES):
        return bytes(value), RAW
    if raw_wished and isinstance(value, str):
        return value.encode("utf-8", "replace"), RAW
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=simplify).encode(), 0
    except UnicodeEncodeError:
        # Half of a surrogate pair is no UTF-8, but JSON can contain it.
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=simplify).encode(), 0


def simplify(value):
    if isinstance(value, BYTES):
        return base64.b64encode(value).decode()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {camel(field.name): getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.name
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, (set, frozenset, collections.abc.Iterator, collections.abc.Mapping)):
        return dict(value) if isinstance(value, collections.abc.Mapping) else list(value)
    raise TypeError(f"a {type(value).__name__} has no form in JSON; give dict, list, text, number, bool, None, bytes or a dataclass")


def camel(name):
    head, *tail = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in tail)


# ---- Content, files and items that come while a call runs.


class Request:
    """The items of one call. The thread that wants one reads the data channel itself; what may arrive ahead is bounded by the credit."""

    CREDIT, GRANT = 256 << 10, 64 << 10

    def __init__(self, session, call):
        self._session, self._call = session, call
        self._lock = threading.Lock()  # Code may read on a thread of its own, while the call ends.
        self._credit = self._last = self._owed = 0
        self._ended, self._aborted, self._over, self._awaited = False, None, False, False
        self._wake = self._waker = None

    def next(self):
        """The next item: its flags and payload; ``None`` after the last one."""
        with self._lock:
            while True:
                found, item = self._take()
                if found:
                    return item
                self._wait()

    async def next_async(self):
        if self._awaited:
            raise RuntimeError("two tasks read the same request")
        self._awaited = True
        try:
            while True:
                with self._lock:
                    found, item = self._take()
                if found:
                    return item
                await self._readable()
        finally:
            self._awaited = False

    def end(self):
        """The call ends: before its outcome is sent, because nothing may be granted after it."""
        self._over = True
        if self._call._alarm is not None:
            self._call._alarm()
        with self._lock:
            self._call._alarm = None
            for one in (self._wake, self._waker):
                if one is not None:
                    one.close()

    def malformed(self, detail):
        """What the host sent cannot be: ends this process, as everywhere else."""
        def broken():
            raise Broken("MalformedPayload", f"ITEM of call {self._call.id}: {detail}")
        self._session._guard(broken)

    def _take(self):
        if self._over:
            raise ValueError("the call has ended; its content cannot be read any more")
        self._call.raise_if_cancelled()
        if self._aborted is not None:
            raise RequestAborted(f"The caller's data ended before it was complete: {self._aborted}")
        if self._ended:
            return True, None
        self._grant()
        frame = self._session._next_ahead()
        if frame is None:
            return False, None
        self._session._guard(lambda: self._accept(frame))
        if frame.type == ITEM:
            return True, frame
        return self._take()

    def _grant(self):
        # What was taken before is consumed now.
        self._owed, self._last = self._owed + self._last, 0
        count = self._owed if self._credit or self._owed else self.CREDIT
        if count >= self.GRANT:
            self._credit, self._owed = self._credit + count, 0
            self._session._send(frame_bytes(CREDIT, self._call.id, struct.pack("<I", count)))

    def _accept(self, frame):
        if frame.call_id != self._call.id or frame.type not in (ITEM, END, ABORT):
            raise Broken("UnexpectedFrame", f"{RULES[frame.type].name} of call {frame.call_id} while call {self._call.id} takes items")
        if frame.type == END:
            self._ended = True
        elif frame.type == ABORT:
            fields = Fields("ABORT", frame.payload)
            fields.take(1)
            self._aborted = fields.text()
            fields.finish()
        elif self._credit <= 0:
            raise Broken("CreditOverflow", f"ITEM of call {frame.call_id} without credit")
        else:
            self._last = HEADER.size + len(frame.payload)
            self._credit -= self._last

    def _wait(self):
        if self._wake is None:
            self._wake, self._waker = socket.socketpair()
            self._waker.setblocking(False)
            self._call._alarm = self._ring
        poll = select.poll()
        poll.register(DATA, select.POLLIN)
        poll.register(self._wake.fileno(), select.POLLIN)
        if not self._over and not self._call.cancelled:
            remaining = self._call.remaining
            poll.poll(None if remaining is None else int(remaining * 1000) + 1)

    def _ring(self):
        try:
            self._waker.send(b"\0")
        except OSError:
            pass  # It was rung already, or the call has ended.

    async def _readable(self):
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        loop.add_reader(DATA, lambda: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            loop.remove_reader(DATA)


class Body:
    """A request that is bytes."""

    def __init__(self, request):
        self._request = request

    def next_piece(self, _):
        return self._piece(self._request.next())

    async def next_piece_async(self, _):
        return self._piece(await self._request.next_async())

    def _piece(self, item):
        if item is not None and not item.flags & RAW:
            self._request.malformed("content is not raw")
        return None if item is None else item.payload


class Files:
    """A request that is files: a description, its bytes, the next description."""

    def __init__(self, request, make):
        self._request, self._make = request, make
        self._current = self._next = None
        self._ended = False

    def __iter__(self):
        return self

    def __next__(self):
        while self._next is None and not self._ended:
            self._piece(self._request.next(), is_dropped=True)
        return self._open(StopIteration)

    def __aiter__(self):
        return self

    async def __anext__(self):
        while self._next is None and not self._ended:
            self._piece(await self._request.next_async(), is_dropped=True)
        return self._open(StopAsyncIteration)

    def next_piece(self, file):
        return None if self._is_at_end(file) else self._piece(self._request.next())

    async def next_piece_async(self, file):
        return None if self._is_at_end(file) else self._piece(await self._request.next_async())

    def _is_at_end(self, file):
        if file is not self._current:
            raise ValueError(f"{file.file_name or file.name} was passed by: the next file was asked for, and what was not read of this one was dropped")
        return self._next is not None or self._ended

    def _piece(self, item, is_dropped=False):
        if item is None:
            self._ended = True
        elif item.flags & RAW:
            if self._current is None:
                self._request.malformed("bytes before the first description of a file")
            return item.payload
        else:
            try:
                self._next = json.loads(item.payload)
            except ValueError:
                self._next = None
            if not isinstance(self._next, dict):
                self._request.malformed("the description of a file is no JSON object")
        return None

    def _open(self, stop):
        if self._next is None:
            self._current = None
            raise stop
        self._current, self._next = self._make(self, self._next), None
        return self._current


class Items:
    """A request that is values, each checked as an argument is."""

    def __init__(self, request, name, kind):
        self._request, self._name, self._kind, self._index = request, name, kind, 0

    def __iter__(self):
        return self

    def __next__(self):
        item = self._request.next()
        if item is None:
            raise StopIteration
        return self._value(item)

    def __aiter__(self):
        return self

    async def __anext__(self):
        item = await self._request.next_async()
        if item is None:
            raise StopAsyncIteration
        return self._value(item)

    def _value(self, item):
        path, errors = f"{self._name}[{self._index}]", []
        self._index += 1
        if item.flags & RAW:
            value = convert_bytes(item.payload, self._kind, path, errors)
        else:
            try:
                value = convert_json(json.loads(item.payload, object_pairs_hook=Members, parse_constant=refuse_constant), self._kind, path, errors)
            except (ValueError, RecursionError) as error:
                errors.append((path, "malformed", f"JSON; {error}"))
        if errors:
            raise BadArguments(errors)
        return value


# ---- Content that a call returns.


def pieces_of(content):
    """The bytes of a result, as its function gives them."""
    if isinstance(content, BYTES):
        yield content
    elif hasattr(content, "read"):
        yield from iter(lambda: content.read(MOST_PIECE), b"")
    else:
        yield from content


class Selection:
    """What of a seekable file is sent, by the conditions of the request, and what is said of it in the response."""

    def __init__(self, file, response, items):
        start = file.tell()
        length = file.seek(0, os.SEEK_END) - start
        file.seek(start)
        self.status, self.start, self.length = response.status, start, length
        given = {name.lower(): value for name, value in response.headers.items()}
        self.headers = {name: value for name, value in response.headers.items() if name.lower() not in ("content-length", "content-range")}
        self.declared = given.get("content-length", length)
        if self.status in (None, 200):
            self.headers.setdefault("Accept-Ranges", "bytes")
            self._apply(items, given.get("etag"), given.get("last-modified"), length)
        if self.length is not None:
            self.headers["Content-Length"] = str(self.declared)
        else:  # Nothing is sent: what describes the content is not true of the response.
            self.headers = {name: value for name, value in self.headers.items() if not name.lower().startswith("content-") or name == "Content-Range"}

    def _apply(self, items, tag, modified, length):
        known = [one.strip() for one in items.get("weir.if-none-match", "").split(",") if one.strip()]
        if tag is not None and (known == ["*"] or tag.replace("W/", "", 1) in [one.replace("W/", "", 1) for one in known]):
            self.status, self.length = 304, None
            return
        wanted, condition = items.get("weir.range"), items.get("weir.if-range")
        if wanted is None or (condition is not None and (condition not in (tag, modified) or condition.startswith("W/"))):
            return
        unit, _, ends = wanted.partition("=")
        first, dash, last = ends.strip().partition("-")
        if unit.strip().lower() != "bytes" or not dash or "," in ends or not (first + last).isdigit() or not (first + last).isascii():
            return  # What is no range, or several: everything, as HTTP allows.
        begin, end = (int(first), min(int(last), length - 1) if last else length - 1) if first else (max(0, length - int(last)), length - 1)
        if first and last and int(last) < int(first):
            return
        if begin > end:
            self.status, self.length = 416, None
            self.headers["Content-Range"] = f"bytes */{length}"
        else:
            self.status, self.start, self.length = 206, self.start + begin, end - begin + 1
            self.declared = self.length
            self.headers["Content-Range"] = f"bytes {begin}-{end}/{length}"


class Limited:
    """At most so many bytes of a file."""

    def __init__(self, file, length):
        self._file, self._left = file, length

    def read(self, size):
        piece = self._file.read(min(size, self._left))
        self._left -= len(piece)
        return piece


# ---- The session.


class ControlOutput:
    """What goes up the control channel. No thread waits for the host to read: the control thread sends what is left."""

    MOST_LOG = 256 << 10
    MOST = 1 << 20
    PROGRESS_SECONDS = 0.1

    def __init__(self, channel):
        self._channel, self._lock = channel, threading.Lock()
        self._waiting, self._dropped = bytearray(), 0
        self._reporting = None  # The call whose progress is taken: the one that runs, where it is a job that the host listens to.
        self._report, self._report_due = None, 0.0  # The latest report that is not sent, and when one may be.
        self.wake, self._waker = socket.socketpair()
        self.wake.setblocking(False)
        self._waker.setblocking(False)

    @property
    def has_more(self):
        return bool(self._waiting)

    def send(self, frame):
        with self._lock:
            self._waiting += frame
            if len(self._waiting) > self.MOST:
                os._exit(EXIT_CHANNEL_ENDED)  # A host that sends PINGs and does not read the answers counts as gone.
            self._flush()

    def log(self, call_id, *fields):
        """Sends a record. Above the limit it is dropped, and the next record has the number of dropped ones."""
        with self._lock:
            if len(self._waiting) > self.MOST_LOG:
                self._dropped += 1
                return
            level, event_id, *texts = fields
            self._waiting += frame_bytes(LOG, call_id, log_payload(level, event_id, self._dropped, *texts))
            self._dropped = 0
            self._flush()

    def progress(self, call_id, fraction, what):
        """Sends a report of the call that runs, or keeps it until it may be sent: then the control thread does. Only the latest is kept."""
        with self._lock:
            if call_id != self._reporting:
                return
            is_first, self._report = self._report is None, (fraction, what)
            self._send_report()
            if is_first and self._report is not None:
                self.nudge()

    def begin_progress(self, call_id):
        with self._lock:
            self._reporting, self._report, self._report_due = call_id, None, 0.0

    def end_progress(self):
        """The call ends: sends its last report, unless the host reads too slowly. Before the outcome is sent."""
        with self._lock:
            self._report_due = 0.0
            self._send_report()
            self._reporting = self._report = None

    def send_report(self):
        """Sends the report that waits, if it may be sent now. Returns the seconds until then; ``None`` where none waits."""
        with self._lock:
            self._send_report()
            return None if self._report is None else max(0.0, self._report_due - time.monotonic())

    def _send_report(self):
        now = time.monotonic()
        if self._report is None or now < self._report_due:
            return
        self._report_due = now + self.PROGRESS_SECONDS
        if len(self._waiting) <= self.MOST_LOG:
            self._waiting += frame_bytes(PROGRESS, self._reporting, progress_payload(*self._report))
            self._report = None
            self._flush()

    def flush(self):
        with self._lock:
            self._flush()

    def finish(self, frame, seconds):
        """Sends the last frame; waits a short time for the host to read it."""
        until = time.monotonic() + seconds
        with self._lock:
            self._waiting += frame
            while self._flush() and time.monotonic() < until:
                select.select([], [self._channel], [], until - time.monotonic())

    def nudge(self):
        """Wakes the control thread, which then checks for work."""
        try:
            self._waker.send(b"\0")
        except BlockingIOError:
            pass  # It is awake already.

    def _flush(self):
        try:
            while self._waiting:
                del self._waiting[:self._channel.send(self._waiting, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)]
        except BlockingIOError:
            self.nudge()
        except OSError:
            self._waiting.clear()  # The host is gone; the end of the channel reports it.
        return bool(self._waiting)


class Session:
    """A worker between its two channels: HELLO, READY, calls, DRAIN, BYE."""

    def __init__(self, data, control, targets):
        self._data, self._control, self._targets = data, control, targets
        self._output, self._reader = ControlOutput(control), FrameReader(DATA_DOWN)
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self.shared: typing.Dict[str, memoryview] = {}
        self._hello, self._hello_read = None, threading.Event()
        self._loop = None
        self._most_payload = MOST_PAYLOAD
        self._chosen = 0  # Capabilities.
        self._watched_until = None  # When the control thread checks the clock next.

        # Under _lock: the state of calls that both threads use.
        self.running = None
        self._ready = self._leaving = False
        self._last_read = self._last_started = 0
        self._last_sent = None  # Set by DRAIN.
        self._cancelled_early = set()

    def live(self, setup, cleanup):
        threading.Thread(target=self._guard, args=(self._read_control,), name="weir-control", daemon=True).start()
        self._hello_read.wait()
        try:
            self._start(setup)
        except StartFailed as failure:
            cause = failure.__cause__
            self._output.send(frame_bytes(READY, 0, failed_payload(failure.phase, type_name(cause), str(cause), stack_of(cause)), FAILED))
            self._leave(BYE_START_FAILED, failure.phase)
            sys.exit(EXIT_START_FAILED)
        self._guard(self._serve)
        if cleanup is not None:
            try:
                cleanup()
            except Exception:
                traceback.print_exc()
        self._leave(BYE_DRAINED)

    def _guard(self, work):
        try:
            work()
        except Broken as error:
            self._output.finish(frame_bytes(BYE, 0, bye_payload(BYE_HOST_BROKE, str(error))), 1)
            os._exit(EXIT_HOST_BROKE)

    def _start(self, setup):
        hello = self._hello
        if not hello.least_version <= VERSION <= hello.most_version:
            raise StartFailed("agree version") from RuntimeError(
                f"the host supports versions {hello.least_version} to {hello.most_version} of the protocol, this worker {VERSION}")
        self._most_payload = hello.most_payload
        try:
            self.shared = map_shared(hello.shared)
        except (OSError, ValueError) as error:
            raise StartFailed("map shared data") from error
        root = logging.getLogger()
        if not root.handlers:
            root.setLevel(LEVELS[hello.log_level])
        root.addHandler(FrameHandler(self, LEVELS[hello.log_level]))
        if setup is not None:
            try:
                setup(Startup(hello.pool, hello.configuration))
            except Exception as error:
                raise StartFailed("build services") from error
        takes_items = CAN_TAKE_ITEMS if any(one.streamed is not None for one in self._targets) else 0
        self._chosen = hello.capabilities & (CAN_ALWAYS | takes_items)
        with self._lock:
            self._ready = True
        self._output.send(frame_bytes(READY, 0, ready_payload(os.getpid(), [one.name for one in self._targets], self._chosen)))

    # -- data: the main thread reads, runs, answers.

    def _serve(self):
        while True:
            frame = self._reader.next()
            if frame is not None:
                if frame.type == CALL:
                    self._take(frame)
                elif not self._chosen & CAN_TAKE_ITEMS or frame.type == CREDIT or frame.call_id > self._last_read:
                    raise Broken("UnexpectedFrame", f"{RULES[frame.type].name} of call {frame.call_id} was not agreed on")
                continue  # What was on its way to a call that has ended is dropped.
            if not self._receive():
                break
        if not self._leaving:
            os._exit(EXIT_CHANNEL_ENDED)

    def _receive(self, flags=0):
        try:
            received = self._data.recv(1 << 18, flags)
        except BlockingIOError:
            return False
        except OSError:
            received = b""
        self._reader.feed(received)
        if not received and flags:
            os._exit(EXIT_CHANNEL_ENDED)  # While a call runs.
        return bool(received)

    def _next_ahead(self):
        """The next frame that has arrived, without waiting; for a call that takes items."""
        frame = self._reader.next()
        while frame is None and self._receive(socket.MSG_DONTWAIT):
            frame = self._reader.next()
        return frame

    def _take(self, frame):
        fields = read_call(frame.payload, bool(self._chosen & CAN_TAKE_CONTEXT), bool(self._chosen & CAN_KNOW_CALLER))
        if fields.operation >= len(self._targets):
            raise Broken("MalformedPayload", f"CALL {frame.call_id} is for operation {fields.operation} of {len(self._targets)}")
        target = self._targets[fields.operation]
        if any(index >= len(target.parameters) for index, _ in fields.raw):
            raise Broken("MalformedPayload", f"CALL {frame.call_id} has a raw part for a parameter that {target.name} does not have")
        call = Call(frame.call_id, target, fields, self._output)
        with self._lock:
            if call.id != self._last_read + 1:
                raise Broken("SequenceGap", f"call {call.id} follows call {self._last_read}")
            self._last_read = call.id
            if self._last_sent is not None:
                if call.id > self._last_sent:
                    raise Broken("UnexpectedFrame", f"call {call.id} after DRAIN said that {self._last_sent} is the last")
                return
            self._last_started = call.id
            self.running = call
            if call.id in self._cancelled_early:
                self._cancelled_early.discard(call.id)
                call._cancel()

        # Sent before any user code runs: if the worker fails, the host knows by STARTED which call had started.
        self._send(frame_bytes(STARTED, call.id))
        if call._deadline is not None and (self._watched_until is None or call._deadline < self._watched_until):
            self._output.nudge()
        reports = call.job is not None and self._chosen & CAN_REPORT_PROGRESS
        if reports:
            self._output.begin_progress(call.id)
        payload, flags, type_ = self._answer(call)
        if call._request is not None:
            call._request.end()
        if reports:
            self._output.end_progress()
        self._send(HEADER.pack(len(payload), type_, flags, 0, call.id), payload)
        with self._lock:
            self.running = None
            drained = self._last_sent is not None
        if drained:
            self._begin_leaving()

    def _answer(self, call):
        """Runs a call and sends its items. Returns the payload, flags and type of the frame that completes it."""
        try:
            call.raise_if_cancelled()
            payload, flags = self._run(call)
            answer = (payload, flags, RESULT)
        except MemoryError:
            self._data.sendall(frame_bytes(ERROR, call.id, ERROR_MEMORY))
            self._output.finish(frame_bytes(BYE, 0, bye_payload(BYE_MEMORY)), 1)
            os._exit(EXIT_OUT_OF_MEMORY)
        except (Exception, asyncio.CancelledError) as error:
            answer = (self._error(call, error), 0, ERROR)
        return (ERROR_DEADLINE, 0, ERROR) if call._is_late() else answer

    def _error(self, call, error):
        if isinstance(error, (Cancelled, asyncio.CancelledError)) and call.cancelled:
            return ERROR_CANCELLED
        if isinstance(error, RequestAborted):
            return ERROR_CANCELLED
        if isinstance(error, BadArguments):
            return error_arguments(error.errors)
        if isinstance(error, TooLong):
            return error_too_large(error.length, error.limit)
        if isinstance(error, StatusError):
            payload = error_status(error.status, error.content, error.headers)
            return payload if len(payload) <= MOST_DESCRIPTION else error_too_large(len(payload), MOST_DESCRIPTION)
        return error_failed(type_name(error), message_of(error), stack_of(error))

    def _run(self, call):
        if call._target.streamed is not None and self._chosen & CAN_TAKE_ITEMS:
            call._request = Request(self, call)
        arguments = call._target.bind(call)
        streams = call._fields.credit > 0
        result = call._target.function(**arguments)
        if inspect.isawaitable(result) or hasattr(result, "__anext__"):
            result = self._run_async(call, result, streams)
        elif streams:
            self._stream(call, result)
        if streams:
            head = self._take_head(call)
            return head, NO_VALUE | (HEAD if head else 0)
        if inspect.isgenerator(result) or inspect.isasyncgen(result):
            raise TypeError(f"{call.operation} yields items, but the host's contract has one value; make it an IAsyncEnumerable there, or return a list")
        payload, flags = self._encoded(*encode(result, call._fields.raw_wished))
        head = self._take_head(call)
        return (head + payload, flags | HEAD) if head else (payload, flags)

    def _encoded(self, payload, flags=0):
        if len(payload) > self._most_payload:
            raise TooLong(len(payload), self._most_payload)
        return payload, flags

    def _take_head(self, call):
        """Status and headers that the operation chose, once; nothing where it chose none."""
        response, call._response = call._response, None
        if response is None or (response.status is None and not response.headers):
            return b""
        if not self._chosen & CAN_SEND_HEADS:
            raise RuntimeError(f"{call.operation} chose a status or headers of its response, and the host takes none from its workers")
        return response_head(response.status, response.headers)

    def _stream(self, call, result):
        if call._fields.raw_wished:
            self._send_content(call, result)
        else:
            self._send_items(call, result)

    def _send_items(self, call, items):
        if isinstance(items, (str,) + BYTES) or not hasattr(items, "__iter__"):
            raise TypeError(f"{call.operation} returned no items, but the host's contract is a stream")
        try:
            for item in items:
                call.raise_if_cancelled()
                payload, _ = self._encoded(*encode(item, False))
                call._take_credit(len(payload), wait=True)
                self._send_item(call, payload, 0)
        finally:
            if hasattr(items, "close"):
                items.close()

    def _send_item(self, call, payload, flags):
        head = self._take_head(call) if call._response is not None else b""
        if head:
            self._send(HEADER.pack(len(head) + len(payload), ITEM, flags | HEAD, 0, call.id), head, payload)
        else:
            self._send(HEADER.pack(len(payload), ITEM, flags, 0, call.id), payload)

    # -- content: what a file or an iterator gives, in pieces of 64 KB.

    def _send_content(self, call, content):
        if not (isinstance(content, BYTES) or hasattr(content, "read") or hasattr(content, "__iter__")) or isinstance(content, str):
            raise TypeError(f"{call.operation} returned no content, but the host's contract is a Stream; return bytes, a binary file, or an iterator of bytes")
        try:
            source = self._select(call, io.BytesIO(content) if isinstance(content, BYTES) else content)
            declared = self._declared(call)
            if source is not None:
                if not call._target.is_generator and not isinstance(content, BYTES):
                    call._take_credit(0, wait=True)
                    self._send_item(call, b"", RAW)  # Status and headers arrive before the first byte exists.
                sent = 0
                for piece in pieces_of(source):
                    declared = declared if sent else self._declared(call, declared)
                    for part in parts_of(piece, call):
                        sent += len(part)
                        check_length(call, sent, declared, is_end=False)
                        call._take_credit(len(part), wait=True)
                        self._send_item(call, part, RAW)
                check_length(call, sent, self._declared(call, declared), is_end=True)
        finally:
            if hasattr(content, "close"):
                content.close()

    def _select(self, call, content):
        """What is sent of the content; ``None`` for nothing. Of a file that can seek, ranges and conditions of the request are honoured."""
        if not hasattr(content, "seekable") or not self._chosen & CAN_SEND_HEADS or not content.seekable():
            return content
        selection = Selection(content, call.response, call.items)
        call.response.status, call.response.headers = selection.status, selection.headers
        if selection.length is None:
            return None
        content.seek(selection.start)
        return Limited(content, selection.length) if selection.status == 206 else content

    @staticmethod
    def _declared(call, before=None):
        """The Content-Length of the response that was not sent yet."""
        headers = {} if call._response is None else call._response.headers
        given = next((value for name, value in headers.items() if name.lower() == "content-length"), before)
        return None if given is None else int(given)

    def _run_async(self, call, result, streams):
        self._loop = self._loop or asyncio.new_event_loop()
        loop, changed = self._loop, asyncio.Event()

        async def credit_for(length):
            while not call._take_credit(length, wait=False):
                changed.clear()
                await changed.wait()

        async def send_items(items):
            try:
                async for item in items:
                    payload, _ = self._encoded(*encode(item, False))
                    await credit_for(len(payload))
                    self._send_item(call, payload, 0)
            finally:
                if hasattr(items, "aclose"):
                    await items.aclose()

        async def send_content(pieces):
            try:
                declared, sent = self._declared(call), 0
                if not call._target.is_generator:
                    await credit_for(0)
                    self._send_item(call, b"", RAW)
                async for piece in pieces:
                    declared = declared if sent else self._declared(call, declared)
                    for part in parts_of(piece, call):
                        sent += len(part)
                        check_length(call, sent, declared, is_end=False)
                        await credit_for(len(part))
                        self._send_item(call, part, RAW)
                check_length(call, sent, self._declared(call, declared), is_end=True)
            finally:
                if hasattr(pieces, "aclose"):
                    await pieces.aclose()

        async def work():
            value = await result if inspect.isawaitable(result) else result
            if streams:
                if hasattr(value, "__aiter__"):
                    await (send_content if call._fields.raw_wished else send_items)(value)
                else:
                    self._stream(call, value)
                return None
            return value

        def on_change():
            changed.set()
            if call.cancelled:
                task.cancel()

        task = call._task = loop.create_task(work())
        call._listener = lambda: loop.call_soon_threadsafe(on_change)
        if call.cancelled:
            task.cancel()
        try:
            return loop.run_until_complete(task)
        finally:
            call._listener = None

    def _send(self, *parts):
        """Sends all parts; returns when the kernel has them."""
        try:
            with self._sending:  # A thread that reads content sends credit.
                sent = self._data.sendmsg(parts, [], socket.MSG_NOSIGNAL)
                for part in parts:
                    if sent < len(part):
                        self._data.sendall(memoryview(part)[sent:], socket.MSG_NOSIGNAL)
                    sent = max(0, sent - len(part))
        except OSError:
            os._exit(EXIT_CHANNEL_ENDED)

    # -- control: reads the control channel while calls run. It runs no user code and never waits for the host.

    def _read_control(self):
        reader, poll = FrameReader(CONTROL_DOWN, MOST_DESCRIPTION), select.poll()
        poll.register(DATA, select.POLLRDHUP)  # The other thread may never return from user code.
        poll.register(self._output.wake.fileno(), select.POLLIN)
        while True:
            poll.register(CONTROL, select.POLLIN | (select.POLLOUT if self._output.has_more else 0))
            events = dict(poll.poll(self._until_next()))
            if self._output.wake.fileno() in events:
                self._drain_wake()
            if events.get(CONTROL, 0) & select.POLLOUT:
                self._output.flush()
            if events.get(CONTROL, 0) & ~select.POLLOUT:
                try:
                    received = self._control.recv(1 << 16)
                except OSError:
                    received = b""
                if not received:
                    return self._host_gone()
                reader.feed(received)
                for frame in iter(reader.next, None):
                    self._on_control(frame)
            elif DATA in events:
                return self._host_gone()

    def _host_gone(self):
        if not self._leaving:
            os._exit(EXIT_CHANNEL_ENDED)

    def _drain_wake(self):
        try:
            while self._output.wake.recv(4096):
                pass
        except BlockingIOError:
            pass

    def _until_next(self):
        """Milliseconds until there is something to do without a message; ``None`` for never."""
        deadline, report = self._until_deadline(), self._output.send_report()
        report = None if report is None else int(report * 1000) + 1
        return report if deadline is None else deadline if report is None else min(deadline, report)

    def _until_deadline(self):
        """Milliseconds until the running call is late; cancels one that is."""
        with self._lock:
            call = self.running
            self._watched_until = call and call._deadline
        if call is None or call._deadline is None or call._late:
            self._watched_until = None
            return None
        left = call._deadline - time.monotonic()
        if left <= 0:
            call._cancel(late=True)
            self._watched_until = None
            return None
        return int(left * 1000) + 1

    def _on_control(self, frame):
        fields, name = Fields(RULES[frame.type].name, frame.payload), RULES[frame.type].name
        if frame.type == PING:
            self._output.send(frame_bytes(PONG, 0, frame.payload))
        elif frame.type == HELLO:
            if self._hello is not None:
                raise Broken("UnexpectedFrame", "HELLO twice")
            self._hello = read_hello(frame.payload)
            self._hello_read.set()
        elif not self._ready:
            raise Broken("UnexpectedFrame", f"{name} before READY")
        elif frame.type == CANCEL:
            self._cancel(frame.call_id)
        elif frame.type == CREDIT:
            granted = fields.number("I")
            if granted == 0:
                raise fields.malformed("no bytes are granted")
            with self._lock:
                call = self.running
            if call is not None and call.id == frame.call_id:
                call._grant(granted)
        elif frame.type == DRAIN:
            self._drain(frame.call_id)
        elif frame.type == STACK and self._chosen & CAN_SHOW_STACK:
            fields.finish()
            self._show_stack(frame.call_id)
        else:
            raise Broken("UnexpectedFrame", f"{name} was not agreed on")

    def _cancel(self, call_id):
        with self._lock:
            call = self.running
            if call_id > self._last_read and self._last_sent is None:
                if call_id - self._last_read > MOST_AHEAD:
                    raise Broken("UnexpectedFrame", f"CANCEL of call {call_id}, {call_id - self._last_read} calls after the last one read")
                self._cancelled_early.add(call_id)
        if call is not None and call.id == call_id:
            call._cancel()

    def _show_stack(self, call_id):
        # Native code that holds the interpreter's lock holds this thread, too: then there is no answer.
        with self._lock:
            call = self.running
        if call is not None and call.id == call_id:
            self._output.send(frame_bytes(STACK, call_id, stack_payload(stack_of_call(call))))

    def _drain(self, last):
        with self._lock:
            if self._last_sent is not None or last < self._last_read:
                raise Broken("UnexpectedFrame", "DRAIN twice" if self._last_sent is not None else f"DRAIN says that {last} is the last call, but call {self._last_read} was read already")
            self._last_sent = last
            self._output.send(frame_bytes(RETURNED, self._last_started + 1, struct.pack("<Q", last)))
            idle = self.running is None
        if idle:
            self._begin_leaving()

    # -- the end.

    def _begin_leaving(self):
        # The main thread may wait in recv: the end of the channel wakes it, and it exits.
        self._leaving = True
        try:
            self._data.shutdown(socket.SHUT_RD)
        except OSError:
            pass

    def _leave(self, reason, message=""):
        self._leaving = True
        try:
            self._data.shutdown(socket.SHUT_WR)  # BYE counts only after the end of the data channel.
        except OSError:
            pass
        self._output.finish(frame_bytes(BYE, 0, bye_payload(reason, message)), 5)


def parts_of(piece, call):
    """A piece of content in frames that are not too long."""
    if not isinstance(piece, BYTES):
        raise TypeError(f"{call.operation} gives a {type(piece).__name__} where the host's contract is a Stream; give bytes")
    view = memoryview(piece).cast("B")
    for start in range(0, len(view), MOST_PIECE):
        call.raise_if_cancelled()
        yield view[start:start + MOST_PIECE]


def check_length(call, sent, declared, is_end):
    if declared is not None and (sent > declared or (is_end and sent < declared)):
        raise ValueError(f"{call.operation} gave {sent} bytes{'' if is_end else ' or more'}, and its Content-Length says {declared}")


def map_shared(entries):
    """Maps the pool's shared data: read-only, and without a copy."""
    mapped, descriptor = {}, FIRST_SHARED
    for one in entries:
        if one.path:
            opened = os.open(one.path, os.O_RDONLY | os.O_CLOEXEC)
        else:
            opened, descriptor = descriptor, descriptor + 1
        mapped[one.name] = memoryview(map_file(opened, one.length)) if one.length else memoryview(b"")
        os.close(opened)
    return mapped


def map_file(descriptor, length):
    import mmap  # Not loaded where no data is shared.
    return mmap.mmap(descriptor, length, access=mmap.ACCESS_READ)


def stack_payload(stack):
    encoded = stack.encode("utf-8", "replace")
    return encoded[-MOST_STACK:].decode("utf-8", "ignore").encode()  # The innermost frames are the last ones.


def stack_of_call(call):
    """Where the call is: the main thread's stack, and what an asynchronous call waits for."""
    frame = sys._current_frames().get(threading.main_thread().ident)
    lines, waits = traceback.format_stack(frame), None if call._task is None else call._task.get_coro()
    if waits is not None:
        lines.append("The call waits in:\n")
    while waits is not None:
        frame = getattr(waits, "cr_frame", None) or getattr(waits, "ag_frame", None) or getattr(waits, "gi_frame", None)
        if frame is None:
            break
        lines += traceback.format_list([traceback.FrameSummary(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)])
        waits = getattr(waits, "cr_await", None) or getattr(waits, "ag_await", None) or getattr(waits, "gi_yieldfrom", None)
    return "".join(lines)


class StartFailed(Exception):
    def __init__(self, phase):
        super().__init__(phase)
        self.phase = phase


# Trace to none, as the protocol numbers them.
LEVELS = [1, logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL, logging.CRITICAL + 1]


class FrameHandler(logging.Handler):
    """Sends records to the host."""

    def __init__(self, session, level):
        super().__init__(level)
        self._session = session

    def emit(self, record):
        try:
            level = sum(record.levelno >= one for one in LEVELS[1:6])
            exception = "".join(traceback.format_exception(*record.exc_info)) if record.exc_info and record.exc_info[0] else ""
            call = self._session.running
            self._session._output.log(call.id if call else 0, level, 0, "", record.name, record.getMessage(), exception)
        except Exception:
            self.handleError(record)


def type_name(error):
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def message_of(error):
    try:
        return str(error)
    except Exception as hostile:
        return f"{type_name(error)} raised {type_name(hostile)} while its text was created."


def stack_of(error):
    try:
        return "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception:
        return ""
