"""The work of `comity agents --refresh`, after the options are read."""

import time

from ...agents import ALL
from ...desk.license_documents import can_check_connections, is_private
from ...protocol.text import counted, printable
from ..contact import identity_of
from ..inputs import unwritable
from ..options import LoginOptions, Sender
from ..progress import waiting
from ..session import credentials_of, open_client
from ..terminal import echo, echo_json
from .feed_store import open_store
from .finding import FeedProblem
from .output import show_findings, show_refreshed
from .refresh import refresh


def run_refresh(folder: str | None, sender: Sender, *, as_json: bool) -> int:
    """Fetch the lists of all agents; return the exit status: 3 if one has no usable copy afterwards."""
    store = open_store(folder)
    identity = identity_of(*sender, needs_contact=False)
    shapes = {url: agent.ranges_shape for agent in ALL for url in agent.ranges}
    missing = 0
    credentials = credentials_of(LoginOptions(None, False), ())
    # A list on the public internet must not redirect this machine to a private network.
    public_only = can_check_connections() and not any(map(is_private, shapes))
    with open_client(
        identity, "rfc9309", credentials, public_only=public_only, cached=not sender.user_agent
    ) as client:
        for url, shape in shapes.items():
            with waiting(f"fetching {url}, as soon as the site allows a request"):
                try:
                    found = refresh(url, shape, store, client, time.time())
                except OSError as error:
                    raise unwritable(str(store.folder), error) from None
            missing += found.stored.state.copy is None
            if as_json:
                echo_json(found.record())
            else:
                show_refreshed(found)
    show_findings(FeedProblem("feed-error", "warning", printable(problem)) for problem in store.problems)
    if not as_json:
        echo(f"{len(shapes) - missing} of {counted(len(shapes), 'list')} stored in {store.folder}")
    return 3 if missing else 0
