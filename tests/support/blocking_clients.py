"""HTTP clients whose calls block, with a robot, behind one interface, so that each test is written once."""

import curl_cffi.requests
import niquests
import requests
import urllib3

import comity.integrations.curl_cffi
import comity.integrations.niquests
import comity.integrations.requests
import comity.integrations.urllib3


class SessionClient:
    """A client whose `session` has the methods of requests."""

    def get(self, url, *, method="GET", stream=False, timeout=30, **options):
        """Return the status, the URL and the body of a response, or the response if it is streamed."""
        response = self.session.request(method, url, stream=stream, timeout=timeout, **options)
        return response if stream else (response.status_code, response.url, response.content)

    def read(self, response):
        return response.content

    def settle(self):
        """Wait until nothing but the caller holds a streamed response."""

    def close(self):
        self.session.close()


class RequestsClient(SessionClient):
    """A session of requests."""

    module = comity.integrations.requests
    library_error = requests.RequestException

    def __init__(self, robot):
        self.session = requests.Session()
        self.session.trust_env = False
        for scheme in ("https://", "http://"):
            adapter = self.module.RobotsAdapter(robot, self.session.get_adapter(scheme))
            self.session.mount(scheme, adapter)


class Urllib3Client:
    """A pool manager of urllib3."""

    module = comity.integrations.urllib3
    library_error = urllib3.exceptions.HTTPError

    def __init__(self, robot):
        retries = urllib3.Retry(None, connect=0, read=0, redirect=5, status=0, other=0)
        self.manager = self.module.RobotsPoolManager(robot, retries=retries)

    def get(self, url, *, method="GET", stream=False, data=None, timeout=30, **options):
        response = self.manager.request(
            method, url, preload_content=not stream, body=data, timeout=timeout, **options
        )
        return response if stream else (response.status, response.url, response.data)

    def read(self, response):
        return response.read()

    def settle(self):
        """Wait until nothing but the caller holds a streamed response."""

    def close(self):
        self.manager.clear()


class CurlClient(SessionClient):
    """A session of curl_cffi."""

    module = comity.integrations.curl_cffi
    library_error = curl_cffi.requests.RequestsError

    def __init__(self, robot):
        self.session = self.module.RobotsSession(robot, trust_env=False)

    def read(self, response):
        return b"".join(response.iter_content())

    def settle(self):
        """Wait for the threads that receive streamed bodies: each holds its response until it ends."""
        self.session.executor.shutdown()


class NiquestsClient(SessionClient):
    """A session of niquests."""

    module = comity.integrations.niquests
    library_error = niquests.RequestException

    def __init__(self, robot):
        self.session = self.module.RobotsSession(robot)
        self.session.trust_env = False


CLIENTS = [NiquestsClient, CurlClient, RequestsClient, Urllib3Client]
