"""The settings of a polite client, as one value that is passed from layer to layer."""

from collections.abc import Sequence

from ..protocol.access.policy import AccessPolicy, access_policy
from ..protocol.robotstxt.fields.vocabulary import CURRENT, Vocabulary, vocabulary_of
from ..protocol.usage.answer import usage
from ..protocol.value import Value
from .identity import Identity
from .pace import CAP, FLOOR, required_delay
from .page import Requirement

#: Default maximum wait in seconds for a request.
MAX_WAIT = 600.0

#: Default timeout in seconds for one request for a robots.txt.
ROBOTS_TIMEOUT = 30.0


class PolitenessSettings(Value):
    """How a client behaves towards every site.

    `delay` is the client's own gap in seconds between two requests to an origin, and `crawl_delay_cap` the
    longest Crawl-delay that it observes in full. `max_wait` is the longest wait for a request, and
    `robots_timeout` the timeout for one request for robots.txt, both in seconds. `requirement` names the uses
    of content that sites must not have disallowed, in the terms of `vocabulary`.

    >>> settings = PolitenessSettings.of(Identity.of("ExampleBot/1.0", "bot@example.com"), delay=2.0)
    >>> settings.identity.names, settings.policy.name, settings.delay
    (('ExampleBot',), 'rfc9309', 2.0)
    """

    identity: Identity
    policy: AccessPolicy
    delay: float
    crawl_delay_cap: float
    max_wait: float
    robots_timeout: float
    requirement: Requirement
    vocabulary: Vocabulary

    @classmethod
    def of(
        cls,
        identity: Identity,
        *,
        policy: str | AccessPolicy = "rfc9309",
        delay: float = FLOOR,
        crawl_delay_cap: float = CAP,
        max_wait: float = MAX_WAIT,
        robots_timeout: float = ROBOTS_TIMEOUT,
        respect: str | Sequence[str] = (),
        only_if_allowed: bool = False,
        vocabulary: str | Vocabulary = CURRENT,
    ) -> "PolitenessSettings":
        """Check the arguments of a robot and return its settings.

        Raises `InvalidArgument` for the name of a policy, a use or a vocabulary that does not exist. Raises
        `ValueError` for a negative delay, or for `only_if_allowed` without `respect`.
        """
        required_delay(None, floor=delay, cap=crawl_delay_cap, now=0.0)  # raises if a delay is invalid
        if only_if_allowed and not respect:
            raise ValueError("only_if_allowed needs respect: name the uses that must be allowed")
        uses = (respect,) if isinstance(respect, str) else tuple(respect)
        labels = vocabulary_of(vocabulary)
        for category in uses:
            usage("/", agent=(), vocabulary=labels).preference(category)  # raises if it does not exist
        return cls(
            identity,
            access_policy(policy),
            delay,
            crawl_delay_cap,
            max_wait,
            robots_timeout,
            Requirement(uses, only_if_allowed),
            labels,
        )
