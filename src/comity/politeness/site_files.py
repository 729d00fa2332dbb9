r"""The files of a site about the use of its content, `tdmrep.json` and `ai.txt`, requested without I/O.

The caller sends one request after another, and reports the result of each:

    acquisition = SiteFilesAcquisition("https://example.com")
    while acquisition.url is not None:
        try:
            response = ...  # GET acquisition.url, follow no redirect, read the body if `wants_body(status)`
        except Disallowed:
            acquisition.skip()
        except OSError as error:
            acquisition.fail(str(error))
        else:
            acquisition.receive(response.status, location=..., content_type=..., body=...)
    acquisition.files
"""

from ..protocol.access.redirects import REDIRECT_STATUSES, BrokenRedirect, redirected
from ..protocol.input_errors import InvalidURL
from ..protocol.origin import Origin
from ..protocol.robotstxt.document import RobotsTxt
from ..protocol.text import printable
from ..protocol.usage.ai_txt_file import CATEGORY as TRAINING
from ..protocol.usage.ai_txt_file import ai_txt
from ..protocol.usage.tdmrep_file import CATEGORIES as MINING
from ..protocol.usage.tdmrep_file import TdmRep, tdmrep
from ..protocol.value import Value

#: Maximum size of a file in bytes, as for robots.txt.
SITE_FILE_LIMIT = 512 * 1024

#: Timeout in seconds for one file.
TIMEOUT = 30.0

#: The uses of content that the files can restrict.
SITE_FILE_USES = frozenset((TRAINING, *MINING))

#: Client errors that do not mean that there is no file. A password (401) protects a file that exists, and by
#: TDMRep only the absence of the file states nothing. Many static servers answer 403 for a missing file.
_WITHHELD = (401, 429)

#: How long the files are used, in seconds, and when to ask again if one was unavailable.
_LIFETIME, RETRY_DELAY = 86_400.0, 600.0

#: Maximum number of consecutive redirects of a file.
_REDIRECTS = 20

_PATHS = ("/.well-known/tdmrep.json", "/ai.txt")


class SiteFiles(Value):
    """The files of a site about the use of its content; None for a file that it does not have.

    If one of them is temporarily unavailable, `failure` says which and why. It is None otherwise.
    """

    tdmrep: TdmRep | None
    ai_txt: RobotsTxt | None
    failure: str | None


def lifetime_of(files: SiteFiles) -> float:
    """Return how long the files may be used, in seconds."""
    return _LIFETIME if files.failure is None else RETRY_DELAY


class SiteFilesAcquisition:
    """Acquire both files of an origin, redirects included.

    If the first one is unavailable, the second is not requested.

    >>> acquisition = SiteFilesAcquisition("https://example.com")
    >>> acquisition.url
    'https://example.com/.well-known/tdmrep.json'
    >>> acquisition.receive(404)
    >>> acquisition.receive(302, location="/robots/ai.txt")
    >>> acquisition.url
    'https://example.com/robots/ai.txt'
    >>> acquisition.receive(503)
    >>> acquisition.files.failure
    'https://example.com/ai.txt is unavailable: its server answers 503'
    """

    def __init__(self, origin: str) -> None:
        """Start with the request for `tdmrep.json`."""
        self.origin = origin
        #: the URL of the next request, None when both files are known
        self.url: str | None = f"{origin}{_PATHS[0]}"
        self._bodies: list[bytes | None] = []
        self._failure: str | None = None
        self._redirects = 0

    @property
    def files(self) -> SiteFiles:
        """The files, once `url` is None."""
        if self._failure is not None:
            return SiteFiles(None, None, self._failure)
        mining, training = self._bodies
        return SiteFiles(
            None if mining is None else tdmrep(mining), None if training is None else ai_txt(training), None
        )

    @staticmethod
    def wants_body(status: int) -> bool:
        """Return whether the body of a response with this status code is needed."""
        return 200 <= status < 300

    def receive(
        self, status: int, *, location: str | None = None, content_type: str = "", body: bytes = b""
    ) -> None:
        """Read a response. `location` and `content_type` are header fields, if present."""
        if status in REDIRECT_STATUSES and location is not None:
            self._redirect(location)
        elif status in _WITHHELD or status >= 500:
            self.fail(f"its server answers {status}")
        else:
            media_type = content_type.partition(";")[0].strip().lower()
            # A server that answers every URL with an HTML page does not have the file.
            has_file = self.wants_body(status) and media_type != "text/html"
            self._next(body if has_file else None)

    def skip(self) -> None:
        """Record that the site does not have the file, or forbids robots to fetch it."""
        self._next(None)

    def fail(self, reason: str) -> None:
        """Record that the file is temporarily unavailable, so that its statements are not known."""
        self._failure = printable(f"{self.origin}{_PATHS[len(self._bodies)]} is unavailable: {reason}")
        self.url = None

    def _redirect(self, location: str) -> None:
        self._redirects += 1
        try:
            target = redirected(self.url or "", location)
            Origin.of(target)
        except (BrokenRedirect, InvalidURL):  # it leads nowhere, so there is no such file
            self.skip()
            return
        if self._redirects > _REDIRECTS:
            self.skip()
        else:
            self.url = target

    def _next(self, body: bytes | None) -> None:
        self._bodies.append(body)
        self._redirects = 0
        done = len(self._bodies)
        self.url = f"{self.origin}{_PATHS[done]}" if done < len(_PATHS) else None
