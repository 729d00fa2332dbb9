"""The home on a Redis server: expiry, damage, clients, and a server that is not there."""

import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from pace_model import DAY, make_demand
from platforms import posix_only
from store_backends import ORIGIN, make_access, open_store, redis_server

from comity.errors import ComityError, InvalidArgument, StoreUnavailable
from comity.politeness.pace import Lease, Wait, WaitReason
from comity.politeness.stores import stored_access as entry
from comity.stores import AsyncRedisStore, RedisStore

redis = pytest.importorskip("redis")

PACE, ANSWER = f"comity:pace:{ORIGIN}", f"comity:answer:{ORIGIN}"


@pytest.fixture
def client(redis_url):
    with redis.Redis.from_url(redis_url) as made:
        made.flushall()
        yield made


@pytest.fixture
def kept(client):
    with open_store("Redis", None, client) as made:
        yield made


def begin(kept, now=1000.0, holder="a", gap=1.0, **wanted):
    return kept.acquire(ORIGIN, make_demand(gap, **wanted), holder, now, 60.0)


def test_every_key_expires(kept, client):
    begin(kept, gap=100.0)
    kept.save(make_access())

    assert set(client.keys("*")) == {PACE.encode(), ANSWER.encode()}
    assert 160 + DAY - 5 < client.ttl(PACE) <= 160 + DAY
    assert entry.LIFETIME - 5 < client.ttl(ANSWER) <= entry.LIFETIME


def test_count_of_visits_is_kept_for_a_month(kept, client):
    begin(kept)
    kept.release(ORIGIN, "a", 1001.0, 200)

    assert entry.LIFETIME - 5 < client.ttl(PACE) <= entry.LIFETIME


def test_answer_is_kept_until_it_expires(kept, client, monkeypatch):
    monkeypatch.setattr("time.time", lambda: 1000.0)
    kept.save(make_access(expires=1000.0 + 100 * DAY))

    assert 100 * DAY - 5 < client.ttl(ANSWER) <= 100 * DAY


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("redis://localhost:6379/2", "RedisStore('redis://localhost:6379/2')"),
        ("redis://user:secret@cache.example:7000", "RedisStore('redis://cache.example:7000/0')"),
        ("rediss://:secret@cache.example", "RedisStore('rediss://cache.example:6379/0')"),
        ("unix:///run/redis.sock?password=secret", "RedisStore('unix:///run/redis.sock?db=0')"),
    ],
)
def test_repr_has_the_address_without_secrets(url, text):
    with open_store("Redis", None, url) as kept:
        assert repr(kept) == text


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("redis://localhost/?Password=secret&db=x", "Invalid value for 'db' in connection URL."),
        ("redis://localhost/0?db=secret", "Invalid value for 'db' in connection URL."),
        ("http://x/?a=secret", "schemes"),
        ("redis://localhost/0?pasword=secret", "unknown parameter 'pasword'"),
        ("redis://localhost/abc?password=secret", "the path is not the number of a database"),
        ("redis://localhost/0/1", "the path is not the number of a database"),
        ("redis://localhost/-1", "the path is not the number of a database"),
        ("redis://localhost/1_0", "the path is not the number of a database"),
        ("redis://user:secret@localhost/abc?secret=1", ""),
        ("redis://user:se/cret@localhost/0", ""),
        ("redis://user:secret?@localhost/0", ""),
        ("redis://user:secret#@localhost/0", ""),
        ("redis://:secret@localhost/0?ssl=secret", ""),
        ("redis://localhost:99999/0", "Port out of range"),
        ("rediss://localhost/0?ssl_cert_reqs=x&password=secret", "SSL"),
    ],
)
def test_invalid_server_is_quoted_without_passwords(url, why):
    with pytest.raises(InvalidArgument) as raised:
        RedisStore(url)
    message = str(raised.value)
    assert message.startswith("invalid server ")
    assert why in message
    assert "argument" not in message
    assert "secret" not in message


def test_repr_of_a_client_without_one_address():
    client = redis.Sentinel([("localhost", 1)]).master_for("cache")
    with open_store("Redis", None, client) as kept:
        assert repr(kept) == "RedisStore(<Redis>)"


@pytest.mark.parametrize(
    "damage",
    [
        {"ended": "soon"},
        {"ended": "nan"},
        {"ended": "inf"},
        {"gap": "-1"},
        {"failures": "1.5"},
        {"failures": "-1"},
        {"visits": "1.5"},
        {"visits": "-1"},
        {"visits": None},
        {"from_server": "2"},
        {"lease_expires": "5"},
        {"holder": "a"},
        {"gap": None},
        {"failures": None},
        {"from_server": None},
    ],
)
def test_damaged_pace_counts_as_request_that_ended_now(kept, client, damage):
    begin(kept)
    kept.release(ORIGIN, "a", 1001.0, 200)
    for name, value in damage.items():
        client.hdel(PACE, name) if value is None else client.hset(PACE, name, value)

    assert begin(kept, 5000.0, gap=5.0) == Wait(5.0, WaitReason.GAP)
    assert begin(kept, 5005.0, gap=5.0) == Lease("a", 5005.0, 5065.0, 5000.0)


@pytest.mark.parametrize("put", [lambda c, k: c.set(k, b"x"), lambda c, k: c.rpush(k, b"x")])
def test_keys_of_wrong_type_are_replaced(kept, client, put):
    put(client, PACE)
    put(client, ANSWER)

    assert begin(kept, 5000.0) == Wait(1.0, WaitReason.GAP)
    assert begin(kept, 5001.0) == Lease("a", 5001.0, 5061.0, 5000.0)
    assert kept.load(ORIGIN) is None
    kept.save(make_access())
    assert kept.load(ORIGIN) == make_access()


def test_answer_of_another_origin_is_ignored(kept, client):
    client.set(ANSWER, entry.encode(make_access("https://other.example")))

    assert kept.load(ORIGIN) is None


def test_answer_larger_than_limit_is_not_stored(kept, client):
    kept.save(make_access(body=b"x" * entry.LIMIT))

    assert client.keys("*") == []


def test_client_of_caller_stays_open(client):
    with open_store("Redis", None, client):
        pass

    assert client.ping()


@pytest.mark.parametrize("loop", [None, "asyncio"])
def test_client_with_decoded_responses_raises(redis_url, loop):
    with (
        pytest.raises(ValueError, match="decode_responses"),
        open_store("Redis", loop, f"{redis_url}?decode_responses=True"),
    ):
        pass


@pytest.mark.parametrize("loop", [None, "asyncio"])
def test_unreachable_server_raises(loop):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"redis://127.0.0.1:{taken.getsockname()[1]}/0"
        with open_store("Redis", loop, url) as kept:
            for ask in (
                lambda: kept.load(ORIGIN),
                lambda: kept.save(make_access()),
                lambda: begin(kept),
                lambda: kept.renew(ORIGIN, "a", 0.0, 60.0),
                lambda: kept.release(ORIGIN, "a", 0.0, 200),
                lambda: kept.wait(ORIGIN, make_demand(1.0), 0.0),
                lambda: kept.visits(ORIGIN),
            ):
                with pytest.raises(StoreUnavailable, match="Redis server") as raised:
                    ask()
                assert isinstance(raised.value, ComityError)


@pytest.mark.parametrize("loop", [None, "asyncio"])
def test_restarted_server_is_reconnected(tmp_path, loop):
    """It forgot everything, its scripts too, and is used on."""
    with redis_server(tmp_path) as url, open_store("Redis", loop, url) as kept:
        begin(kept)
        with redis.Redis.from_url(url) as client:
            client.flushall()
            client.script_flush()
            client.client_kill_filter(_type="normal", skipme=True)

        assert isinstance(begin(kept, 1001.0, "b"), Lease)


@pytest.mark.parametrize("timeouts", [1, 2, 3])
@pytest.mark.parametrize("loop", [None, "asyncio"])
def test_connect_that_times_out_is_repeated(redis_url, client, monkeypatch, loop, timeouts):
    kind = redis.asyncio.Connection if loop else redis.Connection
    connect, attempts = kind._connect, []

    def slow(connection):
        attempts.append(connection)
        if len(attempts) <= timeouts:
            raise TimeoutError
        return connect(connection)

    client.script_flush()  # the script is sent by the same connection
    monkeypatch.setattr(kind, "_connect", slow)
    with open_store("Redis", loop, redis_url) as kept:
        if timeouts > 2:
            with pytest.raises(StoreUnavailable, match="Timeout connecting"):
                begin(kept)
        assert begin(kept) == Lease("a", 1000.0, 1060.0)
    assert len(attempts) == timeouts + 1


@pytest.mark.parametrize("loop", [None, "asyncio"])
def test_command_that_times_out_is_not_repeated(redis_url, client, monkeypatch, loop):
    """The server may make the change yet."""
    kind = redis.asyncio.Connection if loop else redis.Connection
    sent, send = [], kind.send_packed_command

    def slow(connection, command, **options):
        sent.append(command)
        if b"EVALSHA" in b"".join(command):
            raise redis.TimeoutError("Timeout writing to socket")
        return send(connection, command, **options)

    monkeypatch.setattr(kind, "send_packed_command", slow)
    with (
        open_store("Redis", loop, redis_url) as kept,
        pytest.raises(StoreUnavailable, match="Timeout writing"),
    ):
        begin(kept)
    assert sum(b"EVALSHA" in b"".join(command) for command in sent) == 1


def test_interrupted_command_leaves_no_answer(redis_url, client, monkeypatch):
    """The answer arrives later. It must not become that of the next command."""

    def interrupt(_connection):
        raise KeyboardInterrupt

    with RedisStore(redis_url) as kept:
        assert kept.visits(ORIGIN) == 0
        with monkeypatch.context() as patch:
            patch.setattr(redis.Connection, "read_response", interrupt)
            with pytest.raises(KeyboardInterrupt):
                kept.visits(ORIGIN)

        assert begin(kept) == Lease("a", 1000.0, 1060.0)


@posix_only("fork")
def test_forked_process_uses_connections_of_its_own(redis_url, client):
    """Otherwise each process would read answers to the other one."""
    code = f"""
import os
from comity.stores import RedisStore
with RedisStore({redis_url!r}) as kept:
    assert kept.visits("parent.example") == 0
    pid = os.fork()
    if pid == 0:
        os._exit(0 if all(kept.load("child.example") is None for _ in range(200)) else 1)
    assert all(kept.visits("parent.example") == 0 for _ in range(200))
    assert os.waitpid(pid, 0)[1] == 0
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")

    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.parametrize("loop", [None, "asyncio"])
def test_commands_wait_for_a_connection(redis_url, client, loop, monkeypatch):
    for flavour in ("_sync", "_async"):
        monkeypatch.setattr(f"comity.politeness.stores.{flavour}.redis.CONNECTIONS", 2)
    with open_store("Redis", loop, redis_url) as kept, ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda holder: begin(kept, holder=holder), map(str, range(40))))

        assert sum(isinstance(answer, Lease) for answer in found) == 1
        assert client.info("clients")["connected_clients"] <= 3


@pytest.mark.parametrize("store", [RedisStore, AsyncRedisStore])
def test_server_that_is_no_url_raises(store):
    with pytest.raises(InvalidArgument, match="expected a URL such as redis://localhost:6379/0") as error:
        store("localhost")
    assert error.value.name == "server"


def test_trio_is_refused_with_another_store():
    """redis-py supports asyncio only."""

    async def main():
        store = AsyncRedisStore("redis://localhost:1/0")
        await store.load(ORIGIN)

    with pytest.raises(RuntimeError, match="AsyncRedisStore needs asyncio; under trio use AsyncSQLiteStore"):
        anyio.run(main, backend="trio")


def test_two_keys_on_two_servers_are_used_one_after_the_other(redis_url, tmp_path, monkeypatch):
    """A proxy before a cluster refuses a script whose keys are on two servers."""
    with redis.Redis.from_url(redis_url) as client:
        execute, refused = client.execute_command, []

        def refuse(*command, **options):
            if command[0] == "EVALSHA" and command[2] == 2:
                refused.append(command)
                raise redis.ResponseError("CROSSSLOT Keys in request don't hash to the same slot")
            return execute(*command, **options)

        monkeypatch.setattr(client, "execute_command", refuse)
        store = RedisStore(client, prefix=f"{tmp_path}:")
        wanted = ORIGIN, "example.com", make_demand(1.0), "a", 1000.0, 60.0
        assert store.load_or_acquire(*wanted) == Lease("a", 1000.0, 1060.0)
        store.save_and_release(make_access(), "example.com", "a", 1001.0, 200)
        assert store.load_or_acquire(*wanted) == make_access()
        assert store.visits("example.com") == 1
    assert len(refused) == 1
