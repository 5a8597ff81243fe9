import { resolveAll } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { expect, test } from 'vitest';
import { readConfigFile } from '#src/config/config-file.ts';
import { SERVE_SETTINGS } from '#src/config/serve-settings.ts';
import { silentLogger } from '#src/observability/logger.ts';
import { msgOptions } from '#src/service/settings-options.ts';

/** Code and text of the failure. */
async function bootFailure(source: string): Promise<string> {
  try {
    await optionsOf(source);
    return 'boots';
  } catch (error) {
    return error instanceof MsgError ? `${error.code}: ${error.message}` : String(error);
  }
}

async function optionsOf(source: string) {
  const file = readConfigFile({ path: 'msg.yaml', source, env: {} }, SERVE_SETTINGS);
  const settings = resolveAll(SERVE_SETTINGS, { flag: () => undefined, env: {}, file });
  return msgOptions({ settings, source: 'msg.yaml' }, { logger: silentLogger });
}

test.each([
  [
    'kind is missing',
    's: { url: "http://hidden/" }',
    'MSG_SINK_CONFIG_INVALID: sinks.s.kind is required (msg.yaml:2)',
  ],
  ['url is missing', 's: { kind: webhook }', 'MSG_SINK_CONFIG_INVALID: sinks.s.url is required (msg.yaml:2)'],
  [
    'webhook_url is missing',
    's: { kind: slack }',
    'MSG_SINK_CONFIG_INVALID: sinks.s.webhook_url is required (msg.yaml:2)',
  ],
  [
    'from is missing',
    's: { kind: email, smtp_addr: "m:25" }',
    'MSG_SINK_CONFIG_INVALID: sinks.s.from is required (msg.yaml:2)',
  ],
  [
    'the password is missing',
    's: { kind: email, smtp_addr: "m:25", from: "a@b.c", auth_user: u }',
    'MSG_SINK_CONFIG_INVALID: sinks.s: auth_pass is required when auth_user is set (msg.yaml:2)',
  ],
  [
    'an allowed origin must be an origin',
    's: { kind: webhook, url: "http://hidden/", allowed_origins: [hidden] }',
    'MSG_SINK_CONFIG_INVALID: sinks.s: webhook sink: allowed_origins must hold origins such as https://hooks.example.com (msg.yaml:2)',
  ],
  [
    'a key belongs to another kind',
    's: { kind: slack, webhook_url: "http://hidden/", headers: { a: b } }',
    'MSG_SINK_CONFIG_INVALID: sinks.s.headers must be one of kind, webhook_url; got "headers" (msg.yaml:2)',
  ],
  [
    'the url is not a URL',
    's: { kind: webhook, url: hidden }',
    'MSG_SINK_CONFIG_INVALID: sinks.s: webhook sink: url must be a URL',
  ],
  ['a key is unknown', 's: { kind: webhook, urll: "http://hidden/" }', /key "sinks\.s\.urll" does not exist/],
  [
    'the kind is unknown',
    's: { kind: pigeon }',
    /sinks\.s\.kind must be one of email, slack, webpush, webhook; got "pigeon" \(msg\.yaml:2\)/,
  ],
  [
    'the password came out of an unset variable',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of configuration files
    's: { kind: email, smtp_addr: "m:25", from: "a@b.c", auth_user: u, auth_pass: "${NOT_SET_AT_ALL}" }',
    /sinks\.s\.auth_pass is empty/,
  ],
])('%s: no boot', async (_, entry, problem) => {
  const failure = await bootFailure(`sinks:\n  ${entry}\n`);
  expect(failure).toMatch(problem);
  expect(failure).not.toContain('hidden');
});

test('sinks have the names of their entries', async () => {
  const { sinks = [] } = await optionsOf(`
sinks:
  orders: { kind: webhook, url: "https://example.com/" }
  team: { kind: slack, webhook_url: "https://hooks.slack.com/services/x" }
  mail: { kind: email, smtp_addr: "mail:25", from: "a@b.c" }
`);
  expect(sinks.map(({ name }) => name)).toEqual(['orders', 'team', 'mail']);
});

test('retry settings, global and per sink; nothing set means the defaults', async () => {
  const source = `
sink_retry:
  max_attempts: 3
  base_backoff: 250ms
  max_backoff: 1m
  jitter_fraction: 0.5
  per_sink:
    mail: { max_attempts: 9, jitter_fraction: .1 }
    team: { base_backoff: 2s, max_backoff: 3s }
`;
  expect((await optionsOf(source)).sinkRetry).toEqual({
    maxAttempts: 3,
    baseBackoff: 250,
    maxBackoff: 60_000,
    jitterFraction: 0.5,
    perSink: {
      mail: { maxAttempts: 9, jitterFraction: 0.1 },
      team: { baseBackoff: 2000, maxBackoff: 3000 },
    },
  });
  const defaults = {
    maxAttempts: 5,
    baseBackoff: 1000,
    maxBackoff: 30_000,
    jitterFraction: 0.2,
    perSink: {},
  };
  expect((await optionsOf('')).sinkRetry).toEqual(defaults);
  expect((await optionsOf('sinks: {}\nsink_retry: {}\n')).sinkRetry).toEqual(defaults);
});

test.each([
  ['sink_retry: { max_attempts: many }', /sink_retry\.max_attempts must be a whole number/],
  ['sink_retry: { base_backoff: soon }', /sink_retry\.base_backoff must be a duration/],
  ['sink_retry: { jitter_fraction: 20% }', /sink_retry\.jitter_fraction must be a fraction/],
  ['sink_retry: { attempts: 3 }', /key "sink_retry\.attempts" does not exist/],
  [
    'sink_retry: { per_sink: { a: { attempts: 3 } } }',
    /key "sink_retry\.per_sink\.a\.attempts" does not exist/,
  ],
])('%s is refused', async (source, problem) => {
  await expect(optionsOf(source)).rejects.toThrow(problem);
});

test('what a settled configuration shows has no secrets', () => {
  const source = `
sinks:
  orders: { kind: webhook, url: "https://hidden/", headers: { X-Key: hidden }, signing_secret: hidden }
  team: { kind: slack, webhook_url: "https://hidden/" }
  mail: { kind: email, smtp_addr: "mail:25", from: "a@b.c", auth_user: u, auth_pass: hidden }
`;
  const file = readConfigFile({ path: 'msg.yaml', source, env: {} }, SERVE_SETTINGS);
  const { sinks } = resolveAll(SERVE_SETTINGS, { flag: () => undefined, env: {}, file });
  const shown = JSON.stringify(SERVE_SETTINGS.sinks.type.show(sinks));
  expect(shown).toContain('"X-Key":"[redacted]"');
  expect(shown).not.toContain('hidden');
});
