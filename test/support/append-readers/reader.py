"""Reads one message that grows: exits with 1 when a state contradicts one that came before, prints the text at the end."""

import asyncio
import json
import os
import sys

from centrifuge import Client, ClientEventHandler, DeltaType, SubscriptionEventHandler

IS_PROTOBUF = os.environ["MSG_ENCODING"] == "protobuf"


class Connections(ClientEventHandler):
    count = 0

    async def on_connected(self, context):
        self.count += 1


class Reader(SubscriptionEventHandler):
    def __init__(self):
        self.longest = ""
        self.ended = asyncio.Event()

    async def on_publication(self, context):
        data = context.pub.data
        message = json.loads(data) if isinstance(data, (bytes, str)) else data
        text = message["text"]
        if not text.startswith(self.longest) and not self.longest.startswith(text):
            print(f"after {self.longest!r} came {text!r}", file=sys.stderr, flush=True)
            os._exit(1)
        if len(text) > len(self.longest):
            self.longest = text
        if message["status"] != "streaming":
            self.ended.set()


async def main():
    connections = Connections()
    client = Client(
        os.environ["MSG_URL"],
        connections,
        use_protobuf=IS_PROTOBUF,
        min_reconnect_delay=0.02,
        max_reconnect_delay=0.2,
    )
    reader = Reader()
    delta = DeltaType.FOSSIL if os.environ["MSG_DELTA"] == "fossil" else None
    subscription = client.new_subscription(os.environ["MSG_CHANNEL"], reader, delta=delta)
    await subscription.subscribe()
    await client.connect()
    await reader.ended.wait()
    await client.disconnect()
    sys.stdout.buffer.write(reader.longest.encode())
    print(f"{connections.count} connections", file=sys.stderr)


asyncio.run(main())
