import os
import sys

sys.path.insert(0, sys.argv[1])
from weir_worker import operation, run


@operation("Text/Shout")
def shout(text: str) -> str:
    return f"{text.upper()} {os.getpid()}"


run()
