"""Record results: with the facts about each request, and the links of each page."""

from collections.abc import Mapping
from weakref import WeakValueDictionary

from scrapy import Request

from ...integrations.scrapy.sites import Sites
from ..job.entry import FETCHED, Entry, FoundLinks, Result
from ..job.interface import Job
from ..monitoring.activity import Activity
from .link_log import SIZE, LinkLog, record_of
from .page_facts import request_facts


class FactRecorder:
    """Records results in a job; `links` is the log of the links, if there is one.

    `activity` counts the results of this run.
    """

    def __init__(self, job: Job, sites: Sites, links: LinkLog | None, activity: Activity) -> None:
        self._job = job
        self._activity = activity
        self._sites = sites
        self._links = links
        #: request in progress per origin
        self._requests: WeakValueDictionary[str, Request] = WeakValueDictionary()

    def begin(self, entry: Entry, request: Request) -> Request:
        """Record the request for an entry, and return it."""
        self._requests[entry.origin] = request
        return request

    def finish(
        self,
        entry: Entry,
        result: Result,
        links: FoundLinks,
        worker_metadata: Mapping[str, object],
        *,
        pause: float,
        sent: bool,
    ) -> bool:
        """Record a result with its facts, and the links of its page; see `Job.finish`."""
        result = result.replace(**request_facts(self._sites, entry, self._requests.pop(entry.origin, None)))
        metadata, size = dict(worker_metadata), 0
        if self._links is not None:
            size = self._links.size
            # The known links of a page stay until it is read again.
            was_read = any(one.referrer == entry.url for one in links.requests) or any(
                one.source == entry.url for one in links.skipped
            )
            is_new = entry.earlier is None or entry.earlier.sha256 != result.sha256
            if was_read or (is_new and result.outcome in FETCHED):
                metadata[SIZE] = self._links.append(record_of(entry, result, links))
        recorded = self._job.finish(entry, result, links, worker_metadata=metadata, pause=pause, sent=sent)
        if recorded:
            self._activity.finish(entry, result)
        elif self._links is not None:
            self._links.cut(size)
        return recorded
