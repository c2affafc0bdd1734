"""FastAPI behind uvicorn as a contender; runs on Debian's Python, whose packages it needs."""
import enum
import platform
import socket
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
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, log_level="critical"))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    while not server.started:
        threading.Event().wait(0.01)
    control.send("ready", runtime=f"Python {platform.python_version()}", port=listener.getsockname()[1])
    for _ in control.requests():
        pass
    sys.exit(0)
