"""What runs in the workers: document 003's task, and the task of the chaos run."""
import base64
import hashlib
import os
import random


def hashed(data):
    return base64.b64encode(hashlib.sha512(data).digest()).decode()


def load(data):
    return hashed(random.randbytes(len(data)))


def nothing(data):
    return ""


def witnessed(folder, number):
    """Writes down that it began and that it ended, each in one append to a file of its own process."""
    with open(os.path.join(folder, f"worker-{os.getpid()}"), "ab", buffering=0) as file:
        file.write(b"b %d\n" % number)
        answer = hashed(number.to_bytes(8, "little") * 128)
        file.write(b"e %d\n" % number)
    return answer
