"""The metrics of a run in the text format of Prometheus (version 0.0.4)."""

import time
from collections.abc import Iterable, Iterator

from .activity import CLASSES, Activity
from .progress import Progress

#: The media type of the format.
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

#: Labels and value of a sample.
_Sample = tuple[str, float]


def metrics_text(activity: Activity, progress: Progress) -> str:
    """Return the metrics; counters begin at 0 with each run of a process."""
    waits = [wait.until - time.time() for wait in progress.waiting.values()]
    return "".join(
        [
            *_metric(
                "urls_total",
                "counter",
                "URLs that were finished, by outcome.",
                ((f'{{outcome="{outcome}"}}', count) for outcome, count in sorted(activity.outcomes.items())),
            ),
            *_metric(
                "responses_total",
                "counter",
                "Responses of finished URLs, by status code.",
                ((f'{{status="{status}"}}', count) for status, count in sorted(activity.statuses.items())),
            ),
            *_metric(
                "stored_bytes_total", "counter", "Size of the stored pages.", [("", activity.stored_bytes)]
            ),
            *_metric(
                "retries_total",
                "counter",
                "Requests that failed and were queued again.",
                [("", activity.retries)],
            ),
            *_metric(
                "response_seconds",
                "histogram",
                "Time from a request to the end of its response.",
                _histogram(activity),
            ),
            *_metric(
                "queued",
                "gauge",
                "URLs of the job that are queued.",
                [("", progress.outcomes.get("queued", 0))],
            ),
            *_metric("in_progress", "gauge", "Requests in progress.", [("", len(progress.in_progress))]),
            *_metric(
                "waiting_sites", "gauge", "Sites that wait before the next request.", [("", len(waits))]
            ),
            *_metric(
                "longest_wait_seconds", "gauge", "Longest wait of a site.", [("", max(waits, default=0.0))]
            ),
            *_metric(
                "postponed_sites",
                "gauge",
                "Sites that are postponed to the next run.",
                [("", len(progress.postponed))],
            ),
        ]
    )


def _metric(name: str, kind: str, meaning: str, samples: Iterable[_Sample]) -> Iterator[str]:
    """Yield the lines of a metric; the samples of a histogram have the rest of the name, too."""
    name = f"comity_crawl_{name}"
    yield f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n"
    for labels, value in samples:
        yield f"{name}{labels} {value:.15g}\n"


def _histogram(activity: Activity) -> Iterator[_Sample]:
    total = 0
    for limit, count in zip(CLASSES, activity.response_times, strict=False):
        total += count
        yield f'_bucket{{le="{limit:g}"}}', total
    count = sum(activity.response_times)
    yield '_bucket{le="+Inf"}', count
    yield "_sum", activity.response_seconds
    yield "_count", count
