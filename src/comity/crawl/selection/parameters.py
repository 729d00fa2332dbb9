"""Parameters of URLs that do not change a page: URLs that differ only in these are one URL.

They are those that a person names, tracking and session parameters on request, and those of the Clean-param
lines of the site's robots.txt.
"""

import re
from collections.abc import Iterable

from ...protocol.access import Access
from ...protocol.robotstxt import CleanParam
from ...protocol.robotstxt.fields import cleaned

#: Parameters that count visits and the success of advertisements. `*` stands for any text.
TRACKING = (
    *("utm_*", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "fbclid", "msclkid", "yclid"),
    *("ysclid", "twclid", "ttclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi", "mkt_tok"),
    *("vero_id", "wickedid", "oly_anon_id", "oly_enc_id", "pk_campaign", "pk_kwd", "mtm_*"),
)

#: Parameters that name a session, in the query or after `;` in the path.
SESSIONS = (
    "PHPSESSID",
    "jsessionid",
    "ASPSESSIONID*",
    "sessionid",
    "session_id",
    "sid",
    "cfid",
    "cftoken",
    "osCsid",
)

_NAME = re.compile(r"[^\s&=?#;/*]+\*?|\*[^\s&=?#;/*]+")


class Parameters:
    """The parameters to remove from URLs.

    >>> parameters = Parameters(["ref"], tracking=True, sessions=True)
    >>> parameters.without("http://example.com", "http://example.com/a;jsessionid=1?b=2&utm_source=c&ref=d")
    'http://example.com/a?b=2'
    """

    def __init__(self, names: Iterable[str] = (), *, tracking: bool = False, sessions: bool = False) -> None:
        """Create the set; raises `ValueError` for an invalid name."""
        given = list(names)
        for name in given:
            if not _NAME.fullmatch(name):
                raise ValueError(f"invalid parameter {name!r:.100}: expected a name, such as ref or utm_*")
        exact = "|".join(map(_expression, given)) or "(?!)"
        # The names of others are in no particular case.
        known = "|".join(map(_expression, (*(TRACKING if tracking else ()), *(SESSIONS if sessions else ()))))
        pattern = f"(?:{exact}|(?i:{known}))" if known else f"(?:{exact})"
        self._is_any = bool(given or known)
        self._query = re.compile(rf"{pattern}(?:=.*)?", re.DOTALL)
        self._path = re.compile(rf";{pattern}=[^/;]*") if sessions else None
        #: answer for robots.txt, and its Clean-param lines, per origin
        self._clean_params: dict[str, tuple[Access, tuple[CleanParam, ...]]] = {}

    def learn(self, origin: str, access: Access | None) -> None:
        """Obey the Clean-param lines of an origin's robots.txt."""
        if access is not None and self._clean_params.get(origin, (None,))[0] is not access:
            lists_some = b"clean-param" in access.body.lower()
            self._clean_params[origin] = access, access.robots.clean_params if lists_some else ()

    def without(self, origin: str, url: str) -> str:
        """Return a URL of an origin without the parameters."""
        if "?" not in url and ";" not in url:
            return url
        path, mark, query = url.partition("?")
        if self._path is not None and ";" in path:
            path = self._path.sub("", path)
        if mark and self._is_any:
            kept = [pair for pair in query.split("&") if not self._query.fullmatch(pair)]
            query = "&".join(kept)
            mark = mark if kept else ""
        url = f"{path}{mark}{query}"
        known = self._clean_params.get(origin)
        return url if known is None else cleaned(url, known[1])


def _expression(name: str) -> str:
    return re.escape(name).replace(r"\*", "[^=]*")
