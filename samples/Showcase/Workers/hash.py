"""Serves Python/Hash of the showcase."""

import base64
import hashlib

from weir_worker import operation, run


@operation("Python/Hash")
def hash_(data: bytes) -> str:
    """The SHA-512 of the request's body, in base64."""
    return base64.b64encode(hashlib.sha512(data).digest()).decode()


if __name__ == "__main__":
    run()
