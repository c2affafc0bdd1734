"""Reads and writes tests/vectors byte for byte: vectors.py FOLDER. What travels down is read, what travels up is written."""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../workers/python"))
import weir_worker as w  # noqa: E402



def log_details():
    """No worker of this language sends them; its host must know them all the same."""
    fields = [text(b"took {Ms}"), struct.pack("<H", 1), text(b"Ms"), b"\2", text(b"5"), struct.pack("<H", 1), text(b"order 7"), struct.pack("<H", 1)]
    fields += [text(b"Order"), b"\1", text(b"7"), text(b"0af7651916cd43dd8448eb211c80319c"), text(b"b7ad6b7169203331")]
    return b"".join(fields)


def text(value):
    return struct.pack("<I", len(value)) + value


UP = {
    "started": lambda: w.frame_bytes(w.STARTED, 2),
    "item-json": lambda: w.frame_bytes(w.ITEM, 2, w.encode({"a": 1}, False)[0]),
    "item-raw": lambda: w.frame_bytes(w.ITEM, 2, *w.encode(b"\xff\0", True)),
    "item-head": lambda: w.frame_bytes(w.ITEM, 2, w.response_head(206, {"X-A": "b"}) + b'{"a":1}', w.HEAD),
    "item-content": lambda: w.frame_bytes(w.ITEM, 2, w.response_head(206, {"Content-Length": "2"}) + b"\xff\0", w.RAW | w.HEAD),
    "result-head": lambda: w.frame_bytes(w.RESULT, 2, w.response_head(202, {}), w.NO_VALUE | w.HEAD),
    "result-json": lambda: w.frame_bytes(w.RESULT, 2, *w.encode("héllo", False)),
    "result-raw": lambda: w.frame_bytes(w.RESULT, 2, *w.encode("héllo", True)),
    "result-none": lambda: w.frame_bytes(w.RESULT, 2, b"", w.NO_VALUE),
    "error-failed": lambda: w.frame_bytes(w.ERROR, 2, w.error_failed("System.InvalidOperationException", "no", "at A.B()")),
    "error-status": lambda: w.frame_bytes(w.ERROR, 2, w.error_status(409, "taken", {"Retry-After": "1"})),
    "error-arguments": lambda: w.frame_bytes(w.ERROR, 2, w.error_arguments([("days", "invalid", "a whole number")])),
    "error-cancelled": lambda: w.frame_bytes(w.ERROR, 2, w.ERROR_CANCELLED),
    "error-deadline": lambda: w.frame_bytes(w.ERROR, 2, w.ERROR_DEADLINE),
    "error-memory": lambda: w.frame_bytes(w.ERROR, 2, w.ERROR_MEMORY),
    "error-too-large": lambda: w.frame_bytes(w.ERROR, 2, w.error_too_large(70_000_000, 64 << 20)),
    "ready": lambda: w.frame_bytes(w.READY, 0, w.ready_payload(4711, ["Hasher/Hash", "Hasher/Nothing"], 16, "c1", [0x0123456789ABCDEF, 2])),
    "ready-failed": lambda: w.frame_bytes(w.READY, 0, w.failed_payload("create App.Hasher", "System.InvalidOperationException", "no key", ""), w.FAILED),
    "returned": lambda: w.frame_bytes(w.RETURNED, 5, struct.pack("<Q", 8)),
    "pong": lambda: w.frame_bytes(w.PONG, 0, struct.pack("<Q", 0x1122334455667788)),
    "log": lambda: w.frame_bytes(w.LOG, 2, w.log_payload(3, 17, 3, "Slow", "App.Hasher", "slow", "System.Exception: x")),
    "log-details": lambda: w.frame_bytes(w.LOG, 2, w.log_payload(4, 1, 0, "", "App.Hasher", "took 5", "") + log_details()),
    "progress": lambda: w.frame_bytes(w.PROGRESS, 2, w.progress_payload(0.25, "page 1 of 4")),
    "stack": lambda: w.frame_bytes(w.STACK, 2, w.stack_payload("at a()\nat b()")),
    "bye": lambda: w.frame_bytes(w.BYE, 0, w.bye_payload(w.BYE_DRAINED)),
}



def refuses(call, kind=3):
    """The part is not agreed where the host did not offer its capability."""
    try:
        w.read_call(call)
    except w.Broken as error:
        return f"part kind {kind} is not assigned or not agreed" in str(error)
    return False


def is_caller(user):
    return user.is_authenticated and user.name == "ann" and [claim["type"] for claim in user.claims] == ["name", "age"] and user.find("age") == "7"


def is_file(payload):
    files = w.Files(None, w.File)
    files._piece(w.Frame(w.ITEM, 0, 3, payload))
    file = files._open(StopIteration)
    return (file.name, file.file_name, file.content_type, file.length, file.headers) == ("scan", "a.tif", "image/tiff", 123, {"Content-Type": "image/tiff"})


def is_shared(hello):
    return [one.path for one in hello.shared] == ["", "/tmp/words"]


TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
DOWN = {
    "call-empty": lambda f: (f.type, f.call_id, w.read_call(f.payload)) == (w.CALL, 1, w.CallFields(0, False, 0, -1, None, None, None, [], None)),
    "call-full": lambda f: (f.call_id, w.read_call(f.payload)) == (7, w.CallFields(258, True, 65536, 1500, TRACE, "k=v", b'{"n":1}', [(1, b"\0\1\2")], None)),
    "call-context": lambda f: refuses(f.payload) and w.read_call(f.payload, True).context == w.Context("de-DE", "en", [("user", "7")], {"tenant": "a"}),
    "call-caller": lambda f: f.call_id == 9 and refuses(f.payload, 4) and is_caller(w.User(w.read_call(f.payload, False, True).caller)),
    "item-file": lambda f: (f.type, f.call_id, f.flags) == (w.ITEM, 3, 0) and is_file(f.payload),
    "stack-asked": lambda f: (f.type, f.call_id, f.payload) == (w.STACK, 2, b""),
    "hello-shared-data": lambda f: is_shared(w.read_hello(f.payload)),
    "hello": lambda f: w.read_hello(f.payload) == w.Hello(1, 2, 24, 64 << 20, 3, "c1", "hashing", {"Key": "secret"}),
    "credit": lambda f: (f.type, f.call_id, w.Fields("", f.payload).number("I")) == (w.CREDIT, 2, 65536),
    "cancel": lambda f: (f.type, f.call_id, f.payload) == (w.CANCEL, 2, b"\1"),
    "ping": lambda f: (f.type, f.call_id, w.Fields("", f.payload).number("Q")) == (w.PING, 0, 0x1122334455667788),
    "drain": lambda f: (f.type, f.call_id, f.payload) == (w.DRAIN, 9, b""),
    "space": lambda f: (f.type, f.call_id, f.payload) == (w.SPACE, 0, b""),
    "end": lambda f: (f.type, f.call_id) == (w.END, 3),
    "abort": lambda f: (f.type, f.call_id, f.payload[0]) == (w.ABORT, 3, 1),
}


def parse(data, routes):
    reader = w.FrameReader(routes)
    for i in range(len(data)):  # A frame may arrive in any pieces.
        reader.feed(data[i:i + 1])
        frame = reader.next()
        assert (frame is None) == (i < len(data) - 1), "a frame before its end, or none at it"
    return frame


def is_right(name, golden):
    if name in UP:
        return UP[name]() == golden and parse(golden, w.DATA_UP | w.CONTROL_UP) is not None
    return name in DOWN and DOWN[name](parse(golden, w.DATA_DOWN | w.CONTROL_DOWN))


wrong, files = 0, sorted(one for one in os.listdir(sys.argv[1]) if one.endswith(".hex"))
for file in files:
    with open(os.path.join(sys.argv[1], file), encoding="utf-8") as lines:
        golden = bytes.fromhex("".join(line for line in lines if not line.startswith("#")))
    if not is_right(file[:-4], golden):
        print(f"{file} is not as its golden file says", file=sys.stderr)
        wrong += 1
print(f"{len(files)} vectors")
sys.exit(wrong)
