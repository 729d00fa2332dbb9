"""Runs a fetch of robots.txt without a network: a test lists the responses."""

from comity.protocol.access.fetch import Fetch

URL = "https://example.com/robots.txt"
RULES = b"User-agent: *\nDisallow: /closed\n"
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


def response(status, *headers, body=b"", chunk=65_536):
    """Return a response; each header is "Name: value"."""
    pairs = tuple(tuple(part.strip() for part in header.split(":", 1)) for header in headers)
    return status, pairs, [body[start : start + chunk] for start in range(0, len(body), chunk)]


def redirect(location, status=301):
    return response(status, f"Location: {location}")


def failure(cause, detail=""):
    return cause, detail


def drive(*answers, url=URL, policy="rfc9309", known=None, now=0.0):
    """Run a fetch over these answers; the last one repeats. Return its access."""
    return run(Fetch(url, policy=policy, known=known), answers, now).access


def run(fetch, answers, now=0.0):
    asked = 0
    while fetch.request:
        answer = answers[min(asked, len(answers) - 1)]
        asked += 1
        if len(answer) == 2:
            fetch.fail(*answer, now=now)
        elif fetch.receive(answer[0], answer[1], now=now):
            for chunk in answer[2]:
                if not fetch.data(chunk):
                    break
            fetch.finish(now=now)
    return fetch


def rules(now=0.0, policy="rfc9309", *headers, body=RULES, url=URL):
    """Return an access with rules that was fetched at `now`."""
    return drive(response(200, *headers, body=body), policy=policy, now=now, url=url)
