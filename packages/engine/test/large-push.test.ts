import { RealtimeNode, type Transport } from '@msg/engine';
import { describe, expect, it } from 'vitest';
import { streamFraming } from '#src/transports/http/framing.ts';
import { OPEN_POLICY } from './harness.ts';

const LIMIT_BYTES = 1_048_576;

/** Reaches nobody before it is told to: what is written waits. */
class WaitingTransport implements Transport {
  readonly info = { name: 'waiting', encoding: 'json', remoteAddress: '', headers: {} } as const;
  readonly emulated = false;
  readonly announcesDisconnect = true;
  readonly ping = () => {};
  readonly framing: Transport['framing'];
  waiting = 0;
  ended = 0;

  constructor(framing: Transport['framing']) {
    this.framing = framing;
  }

  write(bytes: Uint8Array): boolean {
    this.waiting += bytes.length;
    return this.waiting < 65_536;
  }

  bufferedBytes(): number {
    return this.waiting;
  }

  pause(): void {}
  resume(): void {}

  close(code: number): void {
    this.ended = code;
  }

  destroy(code: number): void {
    this.ended = code;
  }
}

describe.each(['json', 'protobuf', 'sse'] as const)('a publication of more than 1 MiB, %s', form => {
  it.each([false, true])(
    'may wait alone, framing included (chunked: %s); one more ends its reader',
    async chunked => {
      const node = new RealtimeNode({ policy: OPEN_POLICY });
      await node.start();
      const transport = new WaitingTransport(streamFraming(form, chunked));
      const events = node.open(transport);
      const { codec } = transport.framing;
      for (const command of [
        { id: 1, connect: {} },
        { id: 2, subscribe: { channel: 'news' } },
      ]) {
        events.received(
          (codec as typeof codec & { encodeCommand(of: object): Uint8Array }).encodeCommand(command),
        );
        for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
      }
      expect(node.subscriberCount('news')).toBe(1);
      transport.waiting = 0;
      events.drained();
      await node.publish('news', Buffer.from(JSON.stringify('x'.repeat(LIMIT_BYTES))));
      expect(transport.ended).toBe(0);
      await node.publish('news', Buffer.from('1'));
      expect(transport.ended).toBe(3008);
      events.transportClosed();
      await node.shutdown({ graceMs: 0 });
    },
  );
});
