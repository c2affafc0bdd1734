"""The contender's side of the lab's lines: @verb key=value, values percent-encoded."""
import sys
from urllib.parse import quote, unquote


def send(verb, **values):
    words = [verb] + [f"{key}={quote(str(value), safe='')}" for key, value in values.items()]
    sys.stdout.write("@" + " ".join(words) + "\n")
    sys.stdout.flush()


def reading(metric, value, unit):
    send("reading", metric=metric, value=repr(float(value)), unit=unit)


def requests():
    for line in sys.stdin:
        if line.startswith("@"):
            verb, *words = line[1:].split()
            yield verb, {key: unquote(value) for key, value in (word.split("=", 1) for word in words)}


def serve(runtime, handlers):
    """Answers until the input ends; what a handler raises becomes an error line."""
    send("ready", runtime=runtime)
    for verb, values in requests():
        try:
            handlers[verb](values)
        except Exception as error:  # the lab shows it and goes on
            send("error", message=f"{type(error).__name__}: {error}")
