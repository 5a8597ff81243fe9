import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodePublicationRecord } from '@msg/protocol/internal';
import type { RedisServer } from '@msg/testkit/redis';
import { textOf } from '../oracles/observations.ts';
import { STREAM } from '../world/standard/stream-truth.ts';
import { CommandReader } from './command-reader.ts';
import type { RealStore } from './real-store.ts';
import { TAGGED, type TappedTruth } from './tapped-truth.ts';

/** Where a server has the commands that it wrote to its disk. */
const APPEND_ONLY = 'appendonlydir';

/** Publications that servers have and no tap told: without them the truth would not be one. */
export async function untold(store: RealStore, channels: readonly string[]): Promise<readonly string[]> {
  const told = toldOf(store.tapped);
  const missed: string[] = [];
  for (const server of store.masters())
    for (const channel of channels)
      for (const [offset, record] of await entriesOf(server, keyOf(store, channel))) {
        const entry = nameOf(channel, offset, record);
        if (!told.has(entry)) missed.push(entry);
      }
  return missed;
}

/**
 * Tells what a killed server has on its disk and had not sent to its replicas: it writes every command to its disk first, and
 * may die before it does the rest.
 * @param killedUs when it was killed, on the clock of the machine
 */
export function tellUntold(tapped: TappedTruth, { folder }: RedisServer, killedUs: number): void {
  const told = toldOf(tapped);
  for (const args of writtenIn(join(folder, APPEND_ONLY))) {
    const [command = '', key = '', , , offset = '', , record = ''] = args;
    if (command.toUpperCase() !== 'XADD' || !key.startsWith(STREAM)) continue;
    const channel = key.slice(STREAM.length).replace(TAGGED, '$1');
    if (told.has(nameOf(channel, offset, Buffer.from(record, 'latin1')))) continue;
    tapped.written({ args, endOffset: 0, machineUs: killedUs });
  }
}

function toldOf({ truth }: TappedTruth): ReadonlySet<string> {
  return new Set(truth.published.map(({ channel, offset, text }) => `${offset} of ${channel}: ${text}`));
}

function nameOf(channel: string, offset: string, record: Uint8Array): string {
  const payload: unknown = JSON.parse(Buffer.from(decodePublicationRecord(record).data.bytes).toString());
  return `${Number.parseInt(offset, 10)} of ${channel}: ${textOf(payload)}`;
}

/** The whole commands in a folder of append-only files, in their order; none, if a server has no such folder. */
function* writtenIn(folder: string): Generator<readonly string[]> {
  const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.incr.aof')) : [];
  for (const file of files.toSorted()) {
    const reader = new CommandReader();
    reader.add(readFileSync(join(folder, file)));
    for (let command = reader.next(); command !== undefined; command = reader.next()) yield command.args;
  }
}

function keyOf({ kind }: RealStore, channel: string): string {
  return STREAM + (kind === 'cluster' ? `{${channel}}` : channel);
}

/** Offsets and records that a server has of a stream; nothing, if another one of its cluster has it. */
async function entriesOf(
  server: RedisServer,
  key: string,
): Promise<readonly (readonly [offset: string, record: Buffer])[]> {
  const client = server.client();
  try {
    const entries = await client.xrangeBuffer(key, '-', '+').catch(notMoved);
    return entries.map(([id, [, record]]) => [String(id), record as Buffer] as const); // of the field `d`
  } finally {
    client.disconnect();
  }
}

/** A cluster that is not whole again yet answers for no slot. */
function notMoved(error: unknown): [] {
  if (error instanceof Error && /^(?:MOVED|CLUSTERDOWN) /.test(error.message)) return [];
  throw error;
}
