"""HTTP clients whose calls are awaited, with a robot, behind one interface."""

import curl_cffi.requests
import niquests

import comity.integrations.curl_cffi
import comity.integrations.niquests


class AsyncCurlClient:
    """An asynchronous session of curl_cffi."""

    module = comity.integrations.curl_cffi
    library_error = curl_cffi.requests.RequestsError

    def __init__(self, robot):
        self.session = self.module.AsyncRobotsSession(robot, trust_env=False)

    async def get(self, url, *, method="GET", stream=False, timeout=30, **options):
        """Return the status, the URL and the body of a response, or the response if it is streamed."""
        response = await self.session.request(method, url, stream=stream, timeout=timeout, **options)
        return response if stream else (response.status_code, response.url, response.content)

    async def read(self, response):
        return await response.acontent()

    async def close_response(self, response):
        await response.aclose()

    async def close(self):
        await self.session.close()


class AsyncNiquestsClient:
    """An asynchronous session of niquests."""

    module = comity.integrations.niquests
    library_error = niquests.RequestException

    def __init__(self, robot):
        self.session = self.module.AsyncRobotsSession(robot)
        self.session.trust_env = False

    async def get(self, url, *, method="GET", stream=False, timeout=30, **options):
        response = await self.session.request(method, url, stream=stream, timeout=timeout, **options)
        return response if stream else (response.status_code, response.url, response.content)

    async def read(self, response):
        return await response.content

    async def close_response(self, response):
        await response.close()

    async def close(self):
        await self.session.close()


CLIENTS = [AsyncNiquestsClient, AsyncCurlClient]
