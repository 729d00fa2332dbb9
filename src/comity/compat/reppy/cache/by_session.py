"""The cache of reppy 0.3.4: requests are sent by a session of the program."""

import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any, cast

from ....protocol import without_partial_line
from ..exceptions import BadStatusCode, ConnectionException, ReadTimeout, ServerError
from ..parser import Rules
from ..requesting import body_of, requested, requests_package, translated
from ..ttl import HeaderWithDefaultPolicy
from ..util import Utility
from .expiring import ExpiringObject

#: The time that the fields of the response ask for, or one hour; at least a minute.
_TTL = HeaderWithDefaultPolicy(default=3600, minimum=60)

#: Maximum size of a robots.txt in bytes.
_MAX_SIZE = 1_048_576


class RulesCache:
    """The rules of each host, requested when they are needed."""

    def __init__(
        self,
        session: Any,
        disallow_forbidden: bool,
        agent_match: str | None,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> None:
        """Create a cache; `args` and `kwargs` are those of `session.get`."""
        Rules("", 404, b"", 0.0, agent_match=agent_match)  # raises for an unknown value
        self._session = session
        self._disallow_forbidden = disallow_forbidden
        self._agent_match = agent_match
        self._arguments = args, kwargs
        self._files: dict[str, ExpiringObject] = {}
        self._lock = threading.Lock()

    def allowed(self, url: str, agent: str) -> bool:
        """Return whether a robot may fetch a URL; raises an exception of reppy if the request fails."""
        name = agent if self._agent_match else Utility.short_user_agent(agent)
        return self._find(url).allowed(url, name)

    def _find(self, url: str) -> Rules:
        host, robots_url = Utility.hostname(url), Utility.roboturl(url)
        with self._lock:
            found = self._files.setdefault(host, ExpiringObject(lambda: self._fetch(robots_url)))
        return cast(Rules, found.get())

    def _fetch(self, url: str) -> tuple[float, Rules]:
        args, kwargs = self._arguments
        try:
            if self._session is None:
                self._session = requests_package().Session()
            with closing(requested(self._session, url, args, kwargs)) as response:
                body = body_of(response, _MAX_SIZE + 1, kwargs.get("timeout"))
                if len(body) > _MAX_SIZE:
                    body = without_partial_line(body[:_MAX_SIZE])
                expires = time.time() + _TTL.ttl(response)
                status, forbidden = response.status_code, self._disallow_forbidden
                return expires, Rules(url, status, body, expires, forbidden, agent_match=self._agent_match)
        except BadStatusCode as error:
            raise BadStatusCode(error) from error
        except (ImportError, ConnectionException, ReadTimeout):
            raise
        except Exception as error:
            raise (translated(error) or ServerError(error)) from error
