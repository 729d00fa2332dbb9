"""The authorities whose certificates a crawl accepts."""

import os
import sys


def use_authorities() -> None:
    """Let OpenSSL find authorities where the system has no file of them: on macOS and Windows.

    Does nothing if a variable of OpenSSL names others.
    """
    if sys.platform != "linux" and not {"SSL_CERT_FILE", "SSL_CERT_DIR"} & os.environ.keys():
        import certifi  # of the extra `crawl`, on these systems only

        os.environ["SSL_CERT_FILE"] = certifi.where()
