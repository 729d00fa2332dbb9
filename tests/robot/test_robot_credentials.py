"""The robots.txt of requests with credentials, which may differ from that of others."""

import base64

import httpx2
import pytest
from log_verification import verified
from robot_flavours import FLAVOURS, open_robot

import comity
from comity.stores import AsyncMemoryStore, MemoryStore
from comity.testing import FakeClock

ORIGIN = "https://example.com"
CHALLENGE = 'Digest realm="tea", nonce="abc", qop="auth", algorithm=MD5'

PRIVATE = "User-agent: *\nDisallow: /private"


def basic(user):
    return f"Basic {base64.b64encode(f'{user}:secret'.encode()).decode()}"


class Login(httpx2.MockTransport):
    """Sites whose robots.txt needs a login; `files` has the one of each user, and "" the one of the others."""

    def __init__(self, files, scheme="Basic", refusal=401):
        super().__init__(self.respond)
        self.files = {basic(user) if user else "": text for user, text in files.items()}
        self.scheme = scheme
        self.refusal = refusal
        self.asked = []

    def respond(self, request):
        """Return the robots.txt for the credentials of a request, and a page for all others."""
        authorization = request.headers.get("authorization", "")
        self.asked.append((request.url.host, request.url.path, authorization.partition(" ")[0]))
        is_known = authorization in self.files
        if self.scheme == "Digest":
            is_known = 'username="bot"' in authorization and f'uri="{request.url.path}"' in authorization
            authorization = basic("bot") if is_known else ""
        if request.url.path != "/robots.txt":
            challenged = self.scheme == "Digest" and not is_known
            return httpx2.Response(401 if challenged else 200, headers={"WWW-Authenticate": CHALLENGE})
        if not is_known:
            challenge = CHALLENGE if self.scheme == "Digest" else "Basic"
            return httpx2.Response(self.refusal, headers={"WWW-Authenticate": challenge})
        return httpx2.Response(200, text=self.files[authorization])

    @property
    def robots(self):
        """The schemes of the credentials of the requests for robots.txt."""
        return [
            scheme for host, path, scheme in self.asked if path == "/robots.txt" and host == "example.com"
        ]


@pytest.mark.parametrize("refusal", [401, 403, 404])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_refused_robots_txt_is_requested_again_with_credentials(flavour, refusal):
    site = Login({"bot": PRIVATE}, refusal=refusal)
    with open_robot(flavour, transport=site) as robot:
        assert robot.get(f"{ORIGIN}/private").status_code == 200
        for _ in range(2):
            with pytest.raises(comity.Disallowed):
                robot.get(f"{ORIGIN}/private", auth=("bot", "secret"))
        assert robot.get(f"{ORIGIN}/open", auth=("bot", "secret")).status_code == 200
        assert robot.get(f"{ORIGIN}/private").status_code == 200

    assert site.robots == ["", "Basic"]


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("first", ["anonymous", "with login"])
def test_digest_repeats_the_request_with_the_challenge(flavour, first):
    site = Login({"bot": PRIVATE}, "Digest")
    with open_robot(flavour, transport=site) as robot:
        if first == "anonymous":
            robot.get(f"{ORIGIN}/private")
        for _ in range(2):
            with pytest.raises(comity.Disallowed):
                robot.get(f"{ORIGIN}/private", auth=httpx2.DigestAuth("bot", "secret"))
        assert robot.get(f"{ORIGIN}/open", auth=httpx2.DigestAuth("bot", "secret")).status_code == 200

    assert site.robots == (["", "", "Digest"] if first == "anonymous" else ["", "Digest"])


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_digest_of_the_robot(flavour):
    site = Login({"bot": PRIVATE}, "Digest")
    with open_robot(flavour, transport=site, auth=httpx2.DigestAuth("bot", "secret"), delay=2.0) as robot:
        assert not robot.allowed(f"{ORIGIN}/private")
        with pytest.raises(comity.Disallowed):
            robot.get(f"{ORIGIN}/private")
        with pytest.raises(comity.Disallowed), robot.permission(f"{ORIGIN}/private"):
            pass
        assert robot.get(f"{ORIGIN}/open").status_code == 200
        assert robot.clock.slept == [2.0, 2.0]

    assert site.robots == ["", "Digest"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_challenge_without_end_is_given_up(flavour):
    site = Login({}, "Digest")
    with open_robot(flavour, transport=site, auth=httpx2.DigestAuth("other", "secret")) as robot:
        assert robot.get(f"{ORIGIN}/private").status_code == 401

    assert site.robots == ["", "Digest"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_answers_are_kept_for_each_login(flavour):
    files = {"bot": PRIVATE, "other": "User-agent: *\nDisallow: /open"}
    site = Login(files)
    store = MemoryStore() if flavour == "sync" else AsyncMemoryStore()
    with open_robot(flavour, transport=site, store=store) as robot:
        for user, path in (("bot", "/private"), ("other", "/open")) * 2:
            with pytest.raises(comity.Disallowed):
                robot.get(ORIGIN + path, auth=(user, "secret"))
        robot.get(f"{ORIGIN}/private", auth=("other", "secret"))
        robot.get(f"{ORIGIN}/private")
        assert site.robots == ["Basic", "Basic", ""]
    with open_robot(flavour, transport=site, store=store) as second:
        assert second.access(ORIGIN).status == 401


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_public_file_is_not_requested_again(flavour):
    site = Login({"": "User-agent: *\nDisallow: /private", "bot": ""})
    with open_robot(flavour, transport=site) as robot:
        robot.get(f"{ORIGIN}/open")
        with pytest.raises(comity.Disallowed):
            robot.get(f"{ORIGIN}/private", auth=("bot", "secret"))
        with pytest.raises(comity.Disallowed):
            robot.get(f"{ORIGIN}/private", auth=httpx2.DigestAuth("bot", "secret"))

    assert site.robots == [""]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_supplied_file_replaces_that_of_a_login(flavour):
    site = Login({"bot": PRIVATE})
    with open_robot(flavour, transport=site) as robot:
        with pytest.raises(comity.Disallowed):
            robot.get(f"{ORIGIN}/private", auth=("bot", "secret"))
        robot.learn(ORIGIN, "User-agent: *\nAllow: /")
        assert robot.get(f"{ORIGIN}/private", auth=("bot", "secret")).status_code == 200

    assert site.robots == ["Basic"]


@pytest.mark.parametrize("auth", [("bot", "secret"), httpx2.DigestAuth("bot", "secret")])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_other_origins_get_no_credentials(flavour, auth):
    site = Login({"bot": "User-agent: *\nDisallow:"})
    respond = site.respond

    def redirected(request):
        response = respond(request)
        if request.url.host == "example.com" and request.url.path in ("/robots.txt", "/away"):
            return httpx2.Response(302, headers={"Location": f"https://other.example{request.url.path}"})
        return response

    site.handler = redirected
    with open_robot(flavour, transport=site) as robot:
        robot.get(f"{ORIGIN}/away", auth=auth)

    assert {scheme for host, _, scheme in site.asked if host == "other.example"} == {""}


@pytest.mark.parametrize("header", ["Bearer abc", basic("bot")])
def test_credentials_in_the_header_fields_of_a_client(header):
    site = Login({})
    site.files[header] = PRIVATE
    transport = comity.RobotsTransport(site, "ExampleBot/1.0", contact="bot@example.com", clock=FakeClock())
    with httpx2.Client(transport=transport) as client:
        client.get(f"{ORIGIN}/private")
        with pytest.raises(comity.Disallowed):
            client.get(f"{ORIGIN}/private", headers={"Authorization": header})

    assert site.robots == ["", header.partition(" ")[0]]


class Token(httpx2.Auth):
    """Sends a token that is another one for each request, as a signature is."""

    def __init__(self):
        self.count = 0

    def auth_flow(self, request):
        """Add the field of one request."""
        self.count += 1
        request.headers["Authorization"] = f"Signature keyId=bot, number={self.count}"
        yield request


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_signature_is_made_for_the_robots_txt(flavour):
    site = Login({})
    site.files |= {f"Signature keyId=bot, number={number}": PRIVATE for number in range(9)}
    with open_robot(flavour, transport=site, auth=Token()) as robot:
        for _ in range(2):
            with pytest.raises(comity.Disallowed):
                robot.get(f"{ORIGIN}/private")

    assert site.robots == ["Signature"]


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_delay_behind_a_login_is_observed(flavour):
    site = Login({"bot": "User-agent: *\nCrawl-delay: 9"})
    with open_robot(flavour, transport=site, auth=("bot", "secret")) as robot:
        robot.get(f"{ORIGIN}/1")
        robot.get(f"{ORIGIN}/2")
        assert robot.clock.slept == [9.0, 9.0]
        assert robot.host_wait(ORIGIN) == 9.0


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_log_of_two_files_of_an_origin_verifies(flavour, tmp_path):
    site, log = Login({"bot": PRIVATE}), tmp_path / "decisions.jsonl"
    with open_robot(flavour, transport=site, log=log) as robot:
        robot.get(f"{ORIGIN}/private")
        with pytest.raises(comity.Disallowed):
            robot.get(f"{ORIGIN}/private", auth=("bot", "secret"))
        robot.get(f"{ORIGIN}/private")

    assert "secret" not in log.read_text(encoding="utf-8")
    assert basic("bot") not in log.read_text(encoding="utf-8")
    assert verified(log)[1] == []
