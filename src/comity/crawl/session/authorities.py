"""The authorities whose certificates a crawl accepts."""

import os
import sys


def use_authorities() -> None:
    """Name a file of authorities to OpenSSL on macOS and Windows, where the system has none.

    Does nothing if a variable of OpenSSL names others.
    """
    if sys.platform != "linux" and not {"SSL_CERT_FILE", "SSL_CERT_DIR"} & os.environ.keys():
        import certifi  # of the extra `crawl`, on these systems only

        os.environ["SSL_CERT_FILE"] = certifi.where()
