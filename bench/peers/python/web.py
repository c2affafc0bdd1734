"""FastAPI behind uvicorn with uvloop and httptools as a contender; runs on Debian's Python, whose packages it needs."""
import enum
import platform
import sys
import threading

import fastapi
import uvicorn

import control


class Fruit(str, enum.Enum):
    Apple = "Apple"
    Orange = "Orange"
    Grape = "Grape"


application = fastapi.FastAPI()


@application.get("/perf/echo")
async def echo(name: str, x: int, y: int, e: Fruit):
    return {"name": name, "sum": x + y}


if __name__ == "__main__":
    # uvicorn opens the socket itself: one that is handed over keeps Nagle's algorithm, and head and body of every answer
    # then wait for each other and for a delayed acknowledgement, 40 ms long.
    server = uvicorn.Server(uvicorn.Config(
        application, host="127.0.0.1", port=0, loop="uvloop", http="httptools", access_log=False, log_level="critical"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        threading.Event().wait(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    control.send("ready", runtime=f"Python {platform.python_version()}, uvicorn {uvicorn.__version__} with uvloop and httptools", port=port)
    for _ in control.requests():
        pass
    sys.exit(0)
