"""Document 003's task in Weir's own worker for Python."""
import os
import sys

import tasks

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../workers/python"))
from weir_worker import operation, run  # noqa: E402


@operation("ForeignTasks/NothingOf")
def nothing_of(bytes: int) -> str:
    return tasks.nothing(None)


@operation("ForeignTasks/LoadOf")
def load_of(bytes: int) -> str:
    return tasks.load(bytearray(bytes))


@operation("ForeignTasks/Nothing")
def nothing(data: bytes) -> str:
    return tasks.nothing(data)


@operation("ForeignTasks/Load")
def load(data: bytes) -> str:
    return tasks.load(data)


@operation("ForeignTasks/Hash")
def hashed(data: bytes) -> str:
    return tasks.hashed(data)


run()
