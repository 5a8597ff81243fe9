import { readFile } from 'node:fs/promises';
import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { OutboxSettings } from '../config/outbox-settings.ts';
import type { OutboxOptions } from '../outbox/options.ts';

/**
 * How the database of the outbox is reached.
 * @throws MsgError MSG_INVALID_ARGUMENT for a file of certificates that cannot be read
 */
export async function connectionOptions({
  outboxUrl: url,
  outboxTls: tls,
  outboxCaFile: caFile,
}: Pick<OutboxSettings, 'outboxUrl' | 'outboxTls' | 'outboxCaFile'>): Promise<
  Pick<OutboxOptions, 'url' | 'tls' | 'ca'>
> {
  return {
    url,
    ...defined({
      tls: tls === 'auto' ? undefined : tls,
      ca: caFile === '' ? undefined : await certificates(caFile),
    }),
  };
}

/**
 * The options of the outbox; `undefined` without an address.
 * @throws MsgError MSG_INVALID_ARGUMENT for a file of certificates that cannot be read
 */
export async function outboxOptions(settings: OutboxSettings): Promise<OutboxOptions | undefined> {
  if (settings.outboxUrl === '') return undefined;
  return {
    ...(await connectionOptions(settings)),
    schema: settings.outboxSchema,
    workers: settings.outboxWorkers,
    batch: settings.outboxBatch,
    pollIntervalMs: settings.outboxPoll,
    openChannels: settings.outboxOpenChannels,
    waitForChannelMs: settings.outboxWaitForChannel,
    ...defined({ maxRows: settings.outboxMaxRows }),
  };
}

async function certificates(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `outbox.postgres.ca_file: ${path} cannot be read`, { cause });
  }
}
