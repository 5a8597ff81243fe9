import { setTimeout as wait } from 'node:timers/promises';
import type { ModelRow } from '@msg/testkit/outbox';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { Database } from './database.ts';
import { PUSH_SINK } from './push-sink.ts';

/** What writers write. */
export interface Writing {
  readonly channels: readonly string[];
  /** Of 100 rows so many have a payload that the service refuses for ever. */
  readonly refusedPercent: number;
  /** Subscriptions of users whose page is closed; empty: no row has a message. */
  readonly recipients: readonly object[];
  /** Virtual milliseconds at which writers stop. */
  readonly untilMs: number;
  /** The virtual time, milliseconds. */
  now(): number;
}

/** What the service refuses in channels whose payloads are JSON. */
const REFUSED = new TextEncoder().encode('not JSON');

/** A backend of the application: one transaction after the other, of which some are rolled back. */
export async function write(database: Database, actor: Actor, writing: Writing): Promise<void> {
  const draw = actor.stream('writer');
  const pauseMs = draw.pick([500, 1500, 4000]);
  for (;;) {
    await wait(draw.between(1, 2 * pauseMs));
    if (writing.now() > writing.untilMs) return;
    // A statement that failed takes its transaction with it; whether a commit did is known to the database alone.
    await transact(database, draw, writing).catch(() => {});
  }
}

async function transact(database: Database, draw: Stream, writing: Writing): Promise<void> {
  const rows = Array.from({ length: draw.pick([1, 1, 2, 2, 5]) }, () => drawnRow(draw, writing));
  const transaction = await database.insert(rows);
  if (draw.chance(40)) await wait(draw.between(1, 400));
  const without = draw.chance(10) ? 1 : 0;
  await database.end(transaction, { commits: !draw.chance(20), without });
}

/** Of 100 rows so many have a message for a user. */
const MESSAGE_PERCENT = 4;

function drawnRow(draw: Stream, { channels, refusedPercent, recipients }: Writing): Omit<ModelRow, 'id'> {
  const channel = draw.pick(channels);
  if (recipients.length > 0 && draw.chance(MESSAGE_PERCENT)) {
    const options = { sink: PUSH_SINK, recipient: draw.pick(recipients), message: {} };
    const isAway = draw.chance(80);
    return { channel: isAway ? `${channel}.away` : channel, kind: 'publish_or_sink', options };
  }
  return draw.chance(refusedPercent) ? { channel, data: REFUSED } : { channel };
}
