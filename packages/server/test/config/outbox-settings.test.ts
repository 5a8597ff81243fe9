import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveAll } from '@msg/command-line/internal';
import { Msg } from '@msg/server';
import { expect, it } from 'vitest';
import { readConfigFile } from '#src/config/config-file.ts';
import { SERVE_SETTINGS } from '#src/config/serve-settings.ts';
import { silentLogger } from '#src/observability/logger.ts';
import type { OutboxOptions } from '#src/outbox/options.ts';
import { embedderSettings } from '#src/service/running-configuration.ts';
import { msgOptions } from '#src/service/settings-options.ts';
import { runCli } from '../support/cli-io.ts';
import { temporaryFolder } from '../support/folders.ts';

const SECRET = 's3cret-pa55word';
const URL = `postgres://app:${SECRET}@127.0.0.1:1/shop`;

async function outboxOf(
  source: string,
  env: Record<string, string> = {},
): Promise<OutboxOptions | undefined> {
  const file = readConfigFile({ path: 'msg.yaml', source, env }, SERVE_SETTINGS);
  const settings = resolveAll(SERVE_SETTINGS, { flag: () => undefined, env, file });
  return (await msgOptions({ settings, source: 'msg.yaml' }, { logger: silentLogger })).outbox;
}

it('without an address there is no outbox, whatever else is set', async () => {
  expect(await outboxOf('outbox: { workers: 4, postgres: { ca_file: /none.pem } }')).toBeUndefined();
});

it('the variable has the address, and everything else its default', async () => {
  expect(await outboxOf('', { MSG_OUTBOX_POSTGRES_URL: URL })).toEqual({
    url: URL,
    schema: 'msg',
    workers: 2,
    batch: 500,
    pollIntervalMs: 500,
    openChannels: 'declared',
    waitForChannelMs: 60_000,
  });
});

it('every key of the file is an option', async () => {
  const ca = join(await temporaryFolder(), 'ca.pem');
  writeFileSync(ca, 'certificates');
  const source = `outbox:
  postgres: { url: "${URL}", schema: shop, tls: require, ca_file: "${ca}" }
  workers: 4
  batch: 100
  poll_interval: 2s
  open_channels: auto
  wait_for_channel: 5m
  max_rows: 1000
`;
  expect(await outboxOf(source)).toEqual({
    url: URL,
    schema: 'shop',
    tls: 'require',
    ca: 'certificates',
    workers: 4,
    batch: 100,
    pollIntervalMs: 2000,
    openChannels: 'auto',
    waitForChannelMs: 300_000,
    maxRows: 1000,
  });
});

it('a file of certificates that cannot be read is named', async () => {
  await expect(outboxOf(`outbox: { postgres: { url: "${URL}", ca_file: /none.pem } }`)).rejects.toMatchObject(
    {
      code: 'MSG_INVALID_ARGUMENT',
      message: 'outbox.postgres.ca_file: /none.pem cannot be read',
    },
  );
});

it.each([
  [{ workers: 65 }, 'outbox.workers must be an integer from 1 to 64; got 65'],
  [{ batch: 0 }, 'outbox.batch must be an integer from 1 to 1000; got 0'],
  [{ schema: 'Shop' }, /^outbox\.schema must be a name of lower-case letters/],
])('%j is a boot error', async (options, message) => {
  await expect(Msg.create({ outbox: { url: URL, ...options } })).rejects.toMatchObject({
    code: 'MSG_INVALID_ARGUMENT',
    message: expect.stringMatching(message),
  });
});

it.each([
  `mysql://app:${SECRET}@127.0.0.1/shop`,
  `app:${SECRET}@127.0.0.1`,
  `postgres://app:${SECRET}@/shop`,
  `postgres://app:${SECRET}%zz@127.0.0.1/shop`,
  `postgres://app:${SECRET}@127.0.0.1:port/shop`,
])('the address %s is a boot error that does not repeat it', async url => {
  const error: unknown = await Msg.create({ outbox: { url } }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'MSG_INVALID_ARGUMENT',
    message: 'the address of the outbox must be postgres://user:password@host:port/database',
  });
  expect(String((error as Error).stack)).not.toContain(SECRET);
});

it('the password is in no listing of settings', async () => {
  const env = { MSG_OUTBOX_POSTGRES_URL: URL };
  const { stdout, envelope } = await runCli(['config', 'print'], { env });
  expect(envelope?.payload).toMatchObject({ settings: { 'outbox.postgres.url': { source: 'env' } } });
  const shown = embedderSettings({
    outbox: { url: `postgres://app:a@${SECRET}@127.0.0.1/shop`, workers: 2 },
  });
  expect(shown).toMatchObject([{ key: 'outbox', value: { url: '[redacted]', workers: 2 } }]);
  expect(stdout + JSON.stringify(shown)).not.toContain(SECRET);
});
