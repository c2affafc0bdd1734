"""Serves operations of a Weir host from Python: one file, no dependencies, Python 3.8 or newer, Linux.

    from weir_worker import operation, run

    @operation("Text/Shout")
    def shout(text: str, times: int = 1) -> str:
        return text.upper() * times

    if __name__ == "__main__":
        run()

An operation is a function, a generator (a stream), or either with ``async``. Arguments come by name; what does not fit
the annotations is answered as bad arguments before the function runs. ``current_call()`` has the cancellation and the
deadline, and the job where it runs as one; records of ``logging`` appear in the host's log, and so does printed output.

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

__all__ = ["operation", "run", "current_call", "Call", "Job", "Startup", "Cancelled", "StatusError"]

VERSION = 1
MOST_PAYLOAD = 64 << 20
MOST_DESCRIPTION = 1 << 20
MOST_AHEAD = 65_536
MOST_CREDIT = 1 << 30

DATA, CONTROL, PAGE = 3, 4, 5
EXIT_START_FAILED, EXIT_HOST_BROKE, EXIT_CHANNEL_ENDED, EXIT_OUT_OF_MEMORY, EXIT_USAGE = 1, 2, 3, 4, 64


# ---- What a program uses.


class Cancelled(Exception):
    """Raised by ``Call.raise_if_cancelled``: the host does not need the result any more. Do not catch it."""


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
        self._target, self._fields = target, fields
        self._changed = threading.Condition()
        self._credit = fields.credit
        self._cancelled = self._late = False
        self._deadline = None if fields.remaining < 0 else time.monotonic() + fields.remaining / 1000
        self._listener = None  # Called after every change, on the thread that made it: wakes the asyncio loop.

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
            listener = self._listener
        if listener is not None:
            listener()

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
HELLO, READY, CANCEL, RETURNED, PING, PONG, DRAIN, LOG, BYE, SPACE, PROGRESS = 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27
NO_VALUE, RAW, FAILED, HEAD = 1, 2, 4, 8
DATA_DOWN, DATA_UP, CONTROL_DOWN, CONTROL_UP = 1, 2, 4, 8
ZERO, REQUIRED, OPTIONAL = 0, 1, 2
CAN_TAKE_CONTEXT, CAN_REPORT_PROGRESS = 64, 128  # The capabilities that this worker chooses where the host offers them.

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

Hello = collections.namedtuple("Hello", "least_version most_version capabilities most_payload log_level identity pool configuration")
CallFields = collections.namedtuple("CallFields", "operation raw_wished credit remaining traceparent tracestate values raw context")
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
    return Hello(least, most, capabilities, most_payload, level, identity, pool, configuration)


def read_call(payload, takes_context=False):
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
    values, raw, context = None, [], None
    for _ in range(parts):
        kind = fields.number("B")
        if kind > 1 and not (kind == 3 and takes_context):
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
        elif parameter or values is not None:
            raise fields.malformed("two parts are JSON" if values is not None else "the JSON part has a parameter index")
        else:
            values = part
    fields.finish()
    return CallFields(target, wished == 1, credit, remaining, traceparent or None, tracestate or None, values, raw, context)


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
        self.parameters = [(one.name, hints.get(one.name, typing.Any), one.default) for one in parameters if hints.get(one.name) is not Call]

    def bind(self, call):
        """The arguments by name; all errors together are a ``BadArguments``."""
        errors, given = [], {plain(name): name for name, _, _ in self.parameters}
        arguments = dict.fromkeys(self.call_parameters, call)
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
        self._output = ControlOutput(control)
        self._lock = threading.Lock()
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
        root = logging.getLogger()
        if not root.handlers:
            root.setLevel(LEVELS[hello.log_level])
        root.addHandler(FrameHandler(self, LEVELS[hello.log_level]))
        if setup is not None:
            try:
                setup(Startup(hello.pool, hello.configuration))
            except Exception as error:
                raise StartFailed("build services") from error
        self._chosen = hello.capabilities & (CAN_TAKE_CONTEXT | CAN_REPORT_PROGRESS)
        with self._lock:
            self._ready = True
        self._output.send(frame_bytes(READY, 0, ready_payload(os.getpid(), [one.name for one in self._targets], self._chosen)))

    # -- data: the main thread reads, runs, answers.

    def _serve(self):
        reader = FrameReader(DATA_DOWN)
        while True:
            frame = reader.next()
            if frame is not None:
                if frame.type != CALL:
                    raise Broken("UnexpectedFrame", f"{RULES[frame.type].name} of call {frame.call_id} was not agreed on")
                self._take(frame)
                continue
            try:
                received = self._data.recv(1 << 18)
            except OSError:
                received = b""
            if not received:
                break
            reader.feed(received)
        if not self._leaving:
            os._exit(EXIT_CHANNEL_ENDED)

    def _take(self, frame):
        fields = read_call(frame.payload, bool(self._chosen & CAN_TAKE_CONTEXT))
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
        if isinstance(error, BadArguments):
            return error_arguments(error.errors)
        if isinstance(error, TooLong):
            return error_too_large(error.length, error.limit)
        if isinstance(error, StatusError):
            payload = error_status(error.status, error.content, error.headers)
            return payload if len(payload) <= MOST_DESCRIPTION else error_too_large(len(payload), MOST_DESCRIPTION)
        return error_failed(type_name(error), message_of(error), stack_of(error))

    def _run(self, call):
        arguments = call._target.bind(call)
        streams = call._fields.credit > 0
        result = call._target.function(**arguments)
        if inspect.isawaitable(result) or hasattr(result, "__anext__"):
            result = self._run_async(call, result, streams)
        elif streams:
            self._send_items(call, result)
        if streams:
            return b"", NO_VALUE
        if inspect.isgenerator(result) or inspect.isasyncgen(result):
            raise TypeError(f"{call.operation} yields items, but the host's contract has one value; make it an IAsyncEnumerable there, or return a list")
        return self._encoded(*encode(result, call._fields.raw_wished))

    def _encoded(self, payload, flags=0):
        if len(payload) > self._most_payload:
            raise TooLong(len(payload), self._most_payload)
        return payload, flags

    def _send_items(self, call, items):
        if isinstance(items, (str,) + BYTES) or not hasattr(items, "__iter__"):
            raise TypeError(f"{call.operation} returned no items, but the host's contract is a stream")
        try:
            for item in items:
                call.raise_if_cancelled()
                payload, _ = self._encoded(*encode(item, False))
                call._take_credit(len(payload), wait=True)
                self._send(HEADER.pack(len(payload), ITEM, 0, 0, call.id), payload)
        finally:
            if hasattr(items, "close"):
                items.close()

    def _run_async(self, call, result, streams):
        self._loop = self._loop or asyncio.new_event_loop()
        loop, changed = self._loop, asyncio.Event()

        async def send_items(items):
            try:
                async for item in items:
                    payload, _ = self._encoded(*encode(item, False))
                    while not call._take_credit(len(payload), wait=False):
                        changed.clear()
                        await changed.wait()
                    self._send(HEADER.pack(len(payload), ITEM, 0, 0, call.id), payload)
            finally:
                await items.aclose()

        async def work():
            value = await result if inspect.isawaitable(result) else result
            if streams:
                if hasattr(value, "__anext__"):
                    await send_items(value)
                else:
                    self._send_items(call, value)
                return None
            return value

        def on_change():
            changed.set()
            if call.cancelled:
                task.cancel()

        task = loop.create_task(work())
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
