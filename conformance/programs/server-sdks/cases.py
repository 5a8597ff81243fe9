"""The cases of the suite of `cent`, under their names, with its synchronous and its asynchronous client.

usage: cases.py <address of the API> <key>; one JSON line per case.
"""

import asyncio
import inspect
import json
import sys
import traceback
import uuid

import cent
from cent import AsyncClient, CentApiResponseError, CentUnauthorizedError, Client

URL, KEY = sys.argv[1:3]
PERSONAL = "personal_" + uuid.uuid4().hex
CHANNELS = [PERSONAL + "_1", PERSONAL + "_2"]
UNKNOWN_CHANNEL = 102


async def both(request):
    """The result of a request by the synchronous client, then by the asynchronous one."""
    name = request.api_method
    yield getattr(Client(URL, KEY), name)(request)
    client = AsyncClient(URL, KEY)
    try:
        yield await getattr(client, name)(request)
    finally:
        await client._session.close()


def publish(channel, data, **rest):
    return cent.PublishRequest(channel=channel, data=data, **rest)


async def test_serialization_none():
    payload = publish(PERSONAL, {"data": None}).api_payload
    assert payload == {"channel": PERSONAL, "data": {"data": None}}


async def test_serialization_batch():
    batch = cent.BatchRequest(requests=[publish("a", {"n": 1}), publish("b", {"n": 2})])
    commands = [{"publish": {"channel": name, "data": {"n": n}}} for name, n in (("a", 1), ("b", 2))]
    assert batch.api_payload == {"commands": commands, "parallel": False}


async def test_method():
    assert publish(PERSONAL, {"data": None}).api_method == "publish"


EXTRAS = {"skip_history": False, "tags": {"tag": "tag"}, "idempotency_key": uuid.uuid4().hex}


async def test_publish():
    offsets = [result.offset async for result in both(publish(CHANNELS[0], {"data": "data"}, **EXTRAS))]
    # The second one is the first one again: both have one idempotency key.
    assert offsets == [1, 1], offsets


async def test_broadcast():
    request = cent.BroadcastRequest(channels=CHANNELS, data={"data": "data"}, **EXTRAS)
    async for result in both(request):
        assert len(result.responses) == 2
        for response in result.responses:
            assert response.error is None and response.result.offset


CONNECTION = {"user": "user", "client": "client", "session": "session"}


async def test_subscribe():
    position = cent.StreamPosition(offset=1, epoch="1")
    request = cent.SubscribeRequest(
        **CONNECTION, channel=CHANNELS[0], data={"data": "data"}, recover_since=position
    )
    async for result in both(request):
        assert result is not None


async def test_unsubscribe():
    async for result in both(cent.UnsubscribeRequest(**CONNECTION, channel=CHANNELS[0])):
        assert result is not None


async def test_presence():
    async for result in both(cent.PresenceRequest(channel=CHANNELS[0])):
        assert result.presence == {}


async def test_presence_stats():
    async for result in both(cent.PresenceStatsRequest(channel=CHANNELS[0])):
        assert (result.num_clients, result.num_users) == (0, 0)


async def test_history():
    channel = PERSONAL + "_history"
    client = Client(URL, KEY)
    for number in range(10):
        client.publish(publish(channel, {"data": f"data {number}"}))
    async for result in both(cent.HistoryRequest(channel=channel, limit=10, reverse=False)):
        assert result.offset == 10
        data = [publication.data for publication in result.publications]
        assert data == [{"data": f"data {number}"} for number in range(10)]


async def test_history_remove():
    async for result in both(cent.HistoryRemoveRequest(channel=CHANNELS[0])):
        assert result is not None


async def test_info():
    async for result in both(cent.InfoRequest()):
        assert result.nodes and result.nodes[0].uid


async def test_channels():
    async for result in both(cent.ChannelsRequest(pattern="*")):
        assert result.channels == {}


async def test_disconnect():
    reason = cent.Disconnect(code=4000, reason="reason")
    async for result in both(
        cent.DisconnectRequest(**CONNECTION, whitelist=["personal_1"], disconnect=reason)
    ):
        assert result is not None


async def test_refresh():
    async for result in both(cent.RefreshRequest(**CONNECTION, expire_at=1, expired=True)):
        assert result is not None


async def test_batch():
    requests = [
        publish(CHANNELS[0], {"data": "Second data"}),
        publish(CHANNELS[1], {"data": "First data"}),
        cent.BroadcastRequest(channels=CHANNELS, data={"data": "Third data"}),
        cent.PresenceRequest(channel=CHANNELS[0]),
    ]
    for parallel in (False, True):
        async for result in both(cent.BatchRequest(requests=requests, parallel=parallel)):
            first, second, third, fourth = result.replies
            assert first.offset and second.offset
            assert all(response.result.offset for response in third.responses)
            assert fourth.presence == {}


async def test_error_publish():
    for name in ("undefined:channel",):
        for client in (Client, AsyncClient):
            code, text = await failure(client, name)
            assert (code, text) == (UNKNOWN_CHANNEL, "unknown channel"), (code, text)


async def failure(kind, channel):
    client = kind(URL, KEY)
    try:
        answer = client.publish(publish(channel, {"data": "data"}))
        if inspect.isawaitable(answer):
            await answer
    except CentApiResponseError as error:
        return error.code, error.message
    finally:
        closing = client._session.close()
        if inspect.isawaitable(closing):
            await closing
    raise AssertionError("published")


async def test_unauthorized():
    try:
        Client(URL, "wrong").info(cent.InfoRequest())
    except CentUnauthorizedError:
        return
    raise AssertionError("a wrong key was accepted")


def main():
    for name, case in list(globals().items()):
        if not name.startswith("test_"):
            continue
        outcome, detail = "passed", ""
        try:
            asyncio.run(case())
        except Exception:
            outcome, detail = "failed", traceback.format_exc()
        print(json.dumps({"name": name, "outcome": outcome, "detail": detail}), flush=True)


main()
