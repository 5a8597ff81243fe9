import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveAll, UsageError } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfigFile } from '#src/config/config-file.ts';
import { configurationSchema } from '#src/config/config-schema.ts';
import { SERVE_SETTINGS } from '#src/config/serve-settings.ts';

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
    ['an unknown key of a sink', 'sinks: { ops: { kind: slack, webhook: "https://a.example" } }'],
  ])('refuses %s, as the program does', (_what, source) => {
    expect(judged(source)).toEqual({ schema: false, program: false });
  });
});
