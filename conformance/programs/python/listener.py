"""Listens to a channel and prints what its application sees, a line of JSON each; the standard input's end ends it.

The argument is the invitation as JSON: url, channel or channels, access, refresh, tokenOf,
leastMs, mostMs.
"""

import asyncio
import base64
import json
import sys
import urllib.error
import urllib.request

from centrifuge import (
    Client,
    ClientEventHandler,
    SubscriptionEventHandler,
    UnauthorizedError,
)

invitation = json.loads(sys.argv[1])
delays = (invitation["leastMs"] / 1000, invitation["mostMs"] / 1000)


def say(**seen):
    print(json.dumps(seen), flush=True)


def number_in(publication):
    if publication.tags.get("msg-encoding") != "base64":
        return publication.data["n"]
    # 0xff, which UTF-8 does not have, and the number.
    payload = base64.b64decode(publication.data)
    return int(payload[1:]) if payload[:1] == b"\xff" else None


class Tokens:
    """A token callback: it redeems the refresh token."""

    def __init__(self, token):
        self.token = token

    def redeem(self):
        request = urllib.request.Request(
            f"{invitation['url']}/twirp/msg.MsgService/RefreshToken",
            json.dumps({"refresh_token": self.token}).encode(),
            {"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                pair = json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                raise UnauthorizedError from error
            raise
        self.token = pair["refresh_token"]
        return pair["access_token"]

    async def __call__(self, *_context):
        return await asyncio.to_thread(self.redeem)


class Connection(ClientEventHandler):
    async def on_disconnected(self, ctx):
        say(told=f"disconnected {int(ctx.code)}")


class Subscription(SubscriptionEventHandler):
    def __init__(self, channel):
        self.channel = channel

    async def on_publication(self, ctx):
        say(n=number_in(ctx.pub), channel=self.channel, offset=ctx.pub.offset)

    async def on_subscribed(self, ctx):
        if ctx.was_recovering:
            say(recovered=ctx.recovered)

    async def on_unsubscribed(self, ctx):
        say(told=f"unsubscribed {int(ctx.code)}")


async def main():
    tokens = {}
    if "access" in invitation:
        tokens["token"] = invitation["access"]
    if "refresh" in invitation:
        tokens["get_token"] = Tokens(invitation["refresh"])
    own = invitation["tokenOf"] == "subscription"
    client = Client(
        invitation["url"].replace("http", "ws", 1) + "/connection/websocket",
        events=Connection(),
        min_reconnect_delay=delays[0],
        max_reconnect_delay=delays[1],
        **({} if own else tokens),
    )
    subscriptions = [
        client.new_subscription(
            channel,
            events=Subscription(channel),
            min_resubscribe_delay=delays[0],
            max_resubscribe_delay=delays[1],
            **(tokens if own else {}),
        )
        for channel in invitation.get("channels", [invitation.get("channel")])
    ]
    await client.connect()
    for subscription in subscriptions:
        await subscription.subscribe()
    await asyncio.to_thread(sys.stdin.read)


asyncio.run(main())
