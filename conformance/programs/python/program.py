"""Runs one session with a release of centrifuge-python and prints what it saw, a line for each step: see ../README.md."""

import asyncio
import json
import sys

from centrifuge import Client, SubscriptionEventHandler

url, encoding, channel, token, channel_token = sys.argv[1:]


def encode(n):
    """Payloads of this client are bytes in Protobuf, values in JSON."""
    value = {"n": n}
    return json.dumps(value).encode() if encoding == "protobuf" else value


def decode(data):
    return (json.loads(data) if encoding == "protobuf" else data)["n"]


class Events(SubscriptionEventHandler):
    def __init__(self):
        self.numbers = asyncio.Queue()
        self.recovered = ""

    async def on_publication(self, ctx):
        await self.numbers.put(decode(ctx.pub.data))

    async def on_subscribed(self, ctx):
        if ctx.was_recovering:
            self.recovered = "recovered" if ctx.recovered else "not recovered"

    async def received(self, count):
        return [await self.numbers.get() for _ in range(count)]


def say(*words):
    print(*words, flush=True)


async def main():
    events = Events()
    client = Client(
        url,
        token=token,
        use_protobuf=encoding == "protobuf",
        min_reconnect_delay=0.05,
        max_reconnect_delay=0.2,
    )
    subscription = client.new_subscription(channel, events=events, token=channel_token)
    await client.connect()
    await client.ready(timeout=20)
    say("connect")
    await subscription.subscribe()
    await subscription.ready(timeout=20)
    say("subscribe")
    say("receive", *await events.received(1))
    await subscription.publish(encode(2))
    say("publish", *await events.received(1))
    history = await subscription.history(limit=10)
    say("history", *[decode(publication.data) for publication in history.publications])
    presence = await subscription.presence()
    say("presence", *[info.user for info in presence.clients.values()])
    missed = await events.received(3)
    say("recovery", events.recovered, *missed)
    await client.disconnect()


asyncio.run(main())
