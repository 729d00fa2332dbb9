"""Texts with URLs -> the same texts without the user names and passwords of the URLs."""

import re

from ...protocol import AT_SIGNS

#: The user name and password of a URL. The pattern stops where the host must end, so it takes linear time.
USERINFO = re.compile(rf"(?<=://)[^\s/?#]*(?:{'|'.join(AT_SIGNS)})")


def without_userinfo(text: str) -> str:
    """Return a text whose URLs have no user names and passwords."""
    return USERINFO.sub("", text) if "://" in text else text
