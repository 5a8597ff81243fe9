import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { ClientInfo } from '@msg/protocol';
import { jsonCodec } from '@msg/protocol';
import { OwnTotal } from '#src/bounds.ts';
import { MemoryBroker } from '#src/broker/memory.ts';
import { Hub } from '#src/delivery/hub.ts';
import { PositionChecker } from '#src/delivery/position-check.ts';
import type { Disconnect } from '#src/errors.ts';
import { DEFAULT_LIMITS, type Limits, ownListBytes } from '#src/limits.ts';
import type { Client, Policy } from '#src/policy.ts';
import type { Presence } from '#src/presence/contract.ts';
import { MemoryPresence } from '#src/presence/memory.ts';
import { EncodedStreams } from '#src/replies/encoded-streams.ts';
import { ReplyBudget } from '#src/replies/reply-budget.ts';
import { ConnectionState } from '#src/session/connection-state.ts';
import type { NodeContext } from '#src/session/context.ts';
import { Flusher } from '#src/session/flusher.ts';
import { ReplyTurns } from '#src/session/reply-turns.ts';
import type { Subscription } from '#src/session/subscription.ts';
import type { SubscribingConnection } from '#src/session/subscription-set.ts';
import { newStats } from '#src/stats.ts';
import { TimerWheel } from '#src/timers/timer-wheel.ts';
import type { Framing, Transport } from '#src/transports/contract.ts';

// Ports in place of the neighbours of a part of a session.

const NOTHING = new Uint8Array(0);

/** JSON messages, one per line. */
export const FRAMING: Framing = {
  key: 0,
  codec: jsonCodec,
  frame: messages => jsonCodec.join(messages),
  envelope: () => ({ before: NOTHING, after: NOTHING }),
};

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** What a node shares with its sessions, in memory, with the clock moved by hand. */
export function contextOf(
  policy: Partial<Policy> = {},
  { limits, presence }: { limits?: Partial<Limits>; presence?: Presence } = {},
) {
  const clock = new ManualClock();
  const random = { ...systemRandom, fraction: () => 0.5 };
  const wheel = new TimerWheel(clock);
  const errors: unknown[] = [];
  const stats = newStats();
  const shared = {
    clock,
    policy: { connect: () => ({ user: '' }), ...policy },
    broker: new MemoryBroker({ clock, random, wheel }),
    limits: { ...DEFAULT_LIMITS, ...limits },
    reportError: (error: unknown) => void errors.push(error),
  };
  const replies = new OwnTotal();
  const encodedStreams = new EncodedStreams(replies);
  const replyBudget = new ReplyBudget(replies, shared.limits.replyBytes);
  const context: NodeContext = {
    ...shared,
    forwardPublish: () => ({ offset: 0, epoch: '', suppressed: false }),
    nodeId: 'node',
    version: 'test',
    hub: new Hub(shared.broker, stats),
    presence: presence ?? new MemoryPresence(),
    positions: new PositionChecker(shared),
    random,
    wheel,
    writeQueue: {
      flusher: new Flusher(clock, 0),
      replyTurns: new ReplyTurns(clock),
      wheel,
      stats,
      replyBudget,
      ownReplyBytes: ownListBytes(shared.limits),
      limitBytes: shared.limits.queueBytes,
      stallMs: shared.limits.writeStallMs,
    },
    encodedStreams,
    replyBudget,
    stats,
    inBackground: work => void work.catch(shared.reportError),
  };
  return { context, clock, errors };
}

/** A transport that notes what is written. */
export class RecordingTransport implements Transport {
  readonly info = { name: 'test', encoding: 'json', remoteAddress: '', headers: {} } as const;
  readonly framing = FRAMING;
  readonly emulated = false;
  readonly announcesDisconnect = false;
  readonly ping = null;
  readonly writes: string[] = [];
  /** Bytes that the socket holds. */
  buffered = 0;
  /** The socket takes more. */
  writable = true;

  write(bytes: Uint8Array): boolean {
    this.writes.push(text(bytes));
    if (!this.writable) this.buffered += bytes.length;
    return this.writable;
  }

  bufferedBytes(): number {
    return this.buffered;
  }

  pause(): void {}
  resume(): void {}
  close(): void {}
  destroy(): void {}
}

/** A connection with nothing behind it. */
export class RecordingConnection implements SubscribingConnection {
  readonly context: NodeContext;
  readonly connection = new ConnectionState('client');
  readonly framing = FRAMING;
  readonly refusesBinary = false;
  readonly client = { id: 'client' } as Client;
  closed = false;
  /** What the client was told, in order. */
  readonly pushes: unknown[] = [];
  readonly messages = { push: (push: unknown) => void this.pushes.push(push) };
  readonly lost: string[] = [];
  readonly closes: Disconnect[] = [];

  constructor(context: NodeContext) {
    this.context = context;
  }

  push(batch: { frame(): Uint8Array }): void {
    this.pushes.push(JSON.parse(text(batch.frame())));
  }

  lags(): boolean {
    return false;
  }

  onNotEncodable(): void {}

  onContinuityLost({ channel }: Subscription): void {
    this.lost.push(channel);
  }

  close(disconnect: Disconnect): void {
    this.closed = true;
    this.closes.push(disconnect);
  }
}

export function infoOf(client: string): ClientInfo {
  return { user: '', client, connInfo: null, chanInfo: null };
}

/** Lets everything that waits for promises alone go on. */
export const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
