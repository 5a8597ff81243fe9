import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '@msg/command-line';
import { resolveAll } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfigFile } from '#src/config/config-file.ts';
import { configurationSchema, configurationTemplate } from '#src/config/config-schema.ts';
import { SERVE_SETTINGS } from '#src/config/serve-settings.ts';
import { runCli } from '../support/cli-io.ts';
import { temporaryFolder } from '../support/folders.ts';

const DOCS = join(import.meta.dirname, '../../../../docs');
const validate = new Ajv2020({ strict: true, allowUnionTypes: true }).compile(configurationSchema());

/** Every variable is set. */
const ENVIRONMENT = new Proxy<Record<string, string>>({}, { get: () => '1' });

/** Whether `msg serve` reads the file. */
function isRead(source: string): boolean {
  try {
    const file = readConfigFile({ path: 'msg.yaml', source, env: ENVIRONMENT }, SERVE_SETTINGS);
    resolveAll(SERVE_SETTINGS, { env: {}, file, flag: () => undefined });
    return true;
  } catch (error) {
    if (error instanceof UsageError || error instanceof MsgError) return false;
    throw error;
  }
}

/** What schema and program say of a file. */
function judged(source: string): { schema: boolean; program: boolean } {
  return { schema: validate(parse(source) ?? {}), program: isRead(source) };
}

/** The YAML examples of the pages that are a whole file. */
function documentedFiles(): (readonly [string, string])[] {
  return readdirSync(DOCS)
    .filter(name => name.endsWith('.md') && !/monitoring|centrifugo|how-to-add-a-sink-kind/.test(name))
    .flatMap(name =>
      [...readFileSync(join(DOCS, name), 'utf8').matchAll(/^```yaml(?: msg\.yaml)?\n(.*?)^```$/gms)].map(
        ([, source = ''], index) => [`${name} ${index + 1}`, source] as const,
      ),
    );
}

describe('the JSON Schema of the configuration file', () => {
  it('is documented by an example in the page of the configuration', () => {
    expect(documentedFiles().map(([name]) => name)).toContain('configuration.md 1');
  });

  it.each(documentedFiles())('takes the example of %s, as the program does', (_name, source) => {
    expect(judged(source)).toEqual({ schema: true, program: true });
  });

  it.each([
    '',
    'server:',
    'server: { addr: }',
    'server: { addr: ":8000", no_auth: yes, drain_window: 1h30m }',
    'server: { no_auth: 1 }',
    `server: { no_auth: "\${NAME}" }`,
    `limits: { body_bytes: "\${NAME}" }`,
    'limits: { body_bytes: "1000" }',
    'channels: [{ pattern: "public:a.*", presence: on }]',
    'channels: { rules: [{ pattern: "public:a.*" }], open: [{ name: "public:a.b", ttl: never }] }',
    'channels: [{ pattern: "public:a.*", history_ttl: }]',
    'server: { webtransport: { tls_cert_file: a.pem } }',
    'rate_limits: { publish: { rate: 100, per: 1s, burst: 5 } }',
    'rate_limits: { per_channel_publish: [{ pattern: "public:**", rate: 5, per: 1s }] }',
    'auth: { oidc: { grants: [{ if_group: a, scope: "*:app.**", verbs: [publish] }] } }',
    'redis: { db: 1, shards: [a:1, b:2] }',
    'sinks: { ops: { kind: slack, webhook_url: "https://a.example" } }',
    'schema_validation: [{ pattern: "public:**", mode: off }]',
    'server: { ping: { interval: 30s, timeout: 10s }, openapi: on }',
    'limits: { message_bytes: 1024, connections: 0, connections_per_address: "5" }',
    'observability: { access_log: sampled, access_log_sample: 0.5 }',
    'observability: { access_log: "on", access_log_sample: "0.25" }',
    'observability: { access_log_sample: 1 }',
    configurationTemplate(false),
    configurationTemplate(true),
  ])('takes %j, as the program does', source => {
    expect(judged(source)).toEqual({ schema: true, program: true });
  });

  it.each([
    ['an unknown key', 'serve: { addr: ":1" }'],
    ['an unknown key below', 'server: { adr: ":1" }'],
    ['an unknown key of an entry', 'channels: [{ pattern: "public:a.*", presense: on }]'],
    ['a text in place of a map', 'server: ":8000"'],
    ['a list in place of a map', 'server: [1]'],
    ['a map in place of a text', 'server: { addr: { host: a } }'],
    ['a text in place of a list', 'server: { allowed_origins: "https://a.example" }'],
    ['a map in place of a list item', 'server: { allowed_origins: [{ a: b }] }'],
    ['nothing in place of a list item', 'server: { allowed_origins: [~] }'],
    ['a word that is not a switch', 'server: { no_auth: perhaps }'],
    ['a number that is not whole', 'limits: { body_bytes: 1.5 }'],
    ['a number out of range', 'limits: { body_bytes: 0 }'],
    ['a negative number', 'redis: { sharded_pubsub_partitions: -1 }'],
    ['a text in place of a number', 'redis: { db: one }'],
    ['a text that is not a duration', 'server: { drain_window: soon }'],
    ['a duration without a unit', 'server: { drain_window: 5 }'],
    ['a word of no choice', 'auth: { revocation: always }'],
    ['a word of no choice in an entry', 'channels: [{ pattern: "public:a.*", recovery: all }]'],
    ['a missing key of an entry', 'channels: [{ presence: on }]'],
    ['nothing behind a required key', 'channels: [{ pattern: }]'],
    ['a rate that is a text', 'rate_limits: { publish: { rate: many, per: 1s } }'],
    ['an unknown verb', 'auth: { oidc: { grants: [{ if_group: a, scope: "*:app.**", verbs: [read] }] } }'],
    ['no verb', 'auth: { oidc: { grants: [{ if_group: a, scope: "*:app.**", verbs: [] }] } }'],
    ['a key prefix with braces', 'redis: { key_prefix: "{msg}" }'],
    ['a sink of no kind', 'sinks: { ops: { webhook_url: "https://a.example" } }'],
    ['a sink of an unknown kind', 'sinks: { ops: { kind: pager } }'],
    ['a sink without a required key', 'sinks: { ops: { kind: slack } }'],
    ['a section that is a number', 'auth: 5'],
    ['a section that is a switch', 'limits: on'],
    ['a list at the top', '- server'],
    ['a text at the top', 'server'],
    ['a number at the top', '8000'],
    ['a key with another case', 'Server: { addr: ":1" }'],
    ['a key of another section', 'server: { state_dir: a }'],
    ['a key that was misspelled twice below', 'observability: { acces_log: on }'],
    ['an address without a colon', 'server: { addr: localhost }'],
    ['an address that is a number', 'server: { addr: 8000 }'],
    ['an interval of zero', 'server: { ping: { interval: 0s } }'],
    ['an interval below zero', 'server: { ping: { interval: -1s } }'],
    ['an interval in days', 'server: { ping: { interval: 1d } }'],
    ['a number in place of the pings', 'server: { ping: 25 }'],
    ['an unknown key of the pings', 'server: { ping: { every: 25s } }'],
    ['a switch in place of a choice', 'observability: { access_log: true }'],
    ['a word of no access log', 'observability: { access_log: some }'],
    ['a share above one', 'observability: { access_log_sample: 1.5 }'],
    ['a share below zero', 'observability: { access_log_sample: -0.1 }'],
    ['a share in percent', 'observability: { access_log_sample: 5% }'],
    ['no message at all', 'limits: { message_bytes: 0 }'],
    ['a bound with a unit', 'limits: { queue_bytes: 1MB }'],
    ['a bound that is a list', 'limits: { connections: [1] }'],
    ['a bound below zero', 'limits: { connections_per_address: -1 }'],
    ['a bound that is text', 'limits: { history_items: all }'],
    ['an unknown bound', 'limits: { sessions: 5 }'],
    ['a map in place of channels of a list', 'channels: { rules: { pattern: "public:a.*" } }'],
    ['a text in place of a rule', 'channels: { rules: ["public:a.*"] }'],
    ['an unknown key beside the rules', 'channels: { closed: [] }'],
    ['a history that is no number', 'channels: [{ pattern: "public:a.*", history_size: many }]'],
    ['a list in place of sinks', 'sinks: [{ kind: slack }]'],
    ['a session of no length', 'auth: { max_session_ttl: 0s }'],
    ['an unknown key of a sink', 'sinks: { ops: { kind: slack, webhook: "https://a.example" } }'],
  ])('refuses %s, as the program does', (_what, source) => {
    expect(judged(source)).toEqual({ schema: false, program: false });
  });

  it('is shipped with the package as `msg config schema` prints it', async () => {
    const shipped = readFileSync(
      fileURLToPath(import.meta.resolve('@msg/server/config.schema.json')),
      'utf8',
    );
    expect((await runCli(['config', 'schema'])).stdout).toBe(shipped);
    expect(JSON.parse(shipped).$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  });
});

describe('msg config init', () => {
  it.each([[[]], [['--full']]])('%j boots as it is, and names the schema to editors', async flags => {
    const path = join(await temporaryFolder(), 'msg.yaml');
    const { stdout } = await runCli(['config', 'init', ...flags]);
    writeFileSync(path, stdout);
    expect(stdout).toMatch(
      /^# yaml-language-server: \$schema=node_modules\/@msg\/server\/config\.schema\.json\n/,
    );
    expect((await runCli(['config', 'check', path])).envelope?.payload).toEqual({ path, ok: true });
  });

  it('has every key in the full form', async () => {
    const { stdout } = await runCli(['config', 'init', '--full']);
    for (const { key } of Object.values(SERVE_SETTINGS))
      expect(stdout).toMatch(new RegExp(`^ *(?:# )?${key.split('.').at(-1)}:`, 'm'));
  });
});
