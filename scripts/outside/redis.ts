import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient, MsgError } from '@msg/core';
import { eventually, type MsgServer, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';

/** SHA-1 of every script, the names under which a store keeps them. */
export function scripts(root: string, packages: readonly string[]): string[] {
  return packages.flatMap(folder =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.lua'))
      .map(path =>
        createHash('sha1')
          .update(readFileSync(join(root, folder, 'src', path)))
          .digest('hex'),
      ),
  );
}

const CHANNEL = 'public:outside.open';
const PRIVATE = 'private:outside.room.7';
const STREAM = 'public:outside.stream';
const PATTERN = 'outside-order';

const CONFIG = `auth: { revocation: auto }
sinks:
  orders: { kind: webhook, url: "http://127.0.0.1:1/hook" }
sink_retry: { max_attempts: 1 }
rate_limits:
  publish: { rate: 1000, per: 1s }
  subscribe: { rate: 1000, per: 1s }
  token_issue: { rate: 1000, per: 1s }
  open: { rate: 1000, per: 1s }
  per_channel_publish:
    - { pattern: "public:outside.*", rate: 1000, per: 1s }
channels:
  rules:
    - { pattern: "public:outside.stream", append: true }
    - { pattern: "public:outside.*", presence: true, join_leave: true, delta: true }
  open:
    - { pattern: "public:declared.*" }
`;

/** What stands for the names of the run, and for values that differ from run to run. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  [/public:outside\.\*/g, '<pattern>'],
  [/(?:public|private):(?:outside|declared)(?:\.[a-z0-9]+)+/g, '<channel>'],
  [/user-1|operator/g, '<subject>'],
  [/(?<=:)orders$/g, '<sink>'],
  [/(?<=\.)ONCE$/g, '<idempotency key>'],
  [/token-1$/g, '<id>'],
  [/message-\d$/g, '<message>'],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'],
  [/node-[0-9a-f]{16}/g, '<node>'],
  [/[A-Za-z0-9_-]{22,}/g, '<id>'],
  [/[0-9a-f]{16}/g, '<hex>'],
  [/\d+-\d+$/g, '<entry>'],
  [/\d+\.\d+\.\d+\.\d+/g, '<address>'],
];

function pattern(name: string): string {
  return PLACEHOLDERS.reduce((text, [found, stands]) => text.replace(found, stands), name);
}

/** What a command says about the key or PUB/SUB channel that it names. */
const TYPES: readonly (readonly [RegExp, string])[] = [
  [/^s?(?:publish|subscribe)$/, 'PUB/SUB channel'],
  [/^h[a-z]+$/, 'hash'],
  [/^z[a-z]+$/, 'sorted set'],
  [/^x[a-z]+$/, 'stream'],
  [/^s(?:add|rem|members|card)$/, 'set'],
  [/^(?:get|set|incr|mget)$/, 'string'],
];

/**
 * Every key and PUB/SUB channel that two nodes use on a store while each part of the service is used once, with its
 * type. They are read from the store's own monitor.
 */
export async function keys(): Promise<object> {
  const redis = await RedisServer.start();
  const folder = mkdtempSync(join(tmpdir(), 'outside-'));
  const nodes: MsgServer[] = [];
  const used = new Map<string, string>();
  const client = redis.client();
  try {
    const monitor = await client.monitor();
    monitor.on('monitor', (_time: string, [command = '', ...args]: string[]) => {
      const type = TYPES.find(([commands]) => commands.test(command.toLowerCase()))?.[1];
      if (type === undefined) return;
      for (const name of args.filter(text => /^\{?msg\}?:/.test(text))) used.set(pattern(name), type);
    });
    const config = join(folder, 'msg.yaml');
    writeFileSync(config, CONFIG);
    const args = ['--config', config, '--redis-addr', redis.address];
    const first = await startMsg({ args });
    nodes.push(first, await startMsg({ args }));
    await useEverything(first);
    for (const node of nodes) await node.stop();
    monitor.disconnect();
  } finally {
    for (const node of nodes) await node.stop();
    client.disconnect();
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return Object.fromEntries(used);
}

async function useEverything({ url, token, websocketUrl }: MsgServer): Promise<void> {
  const { call } = createRpcClient({ server: url, token, fetch });
  const data = new TextEncoder().encode('{}');
  await call('OpenPublic', { name: CHANNEL });
  const credentials = await call('CreatePrivate', {
    name: PRIVATE,
    subject: 'user-1',
    scopes: [{ pattern: PRIVATE, verbs: ['subscribe', 'publish'] }],
  });
  const centrifuge = new Centrifuge(websocketUrl, { token: credentials.access_token });
  centrifuge.connect();
  for (const name of [CHANNEL, PRIVATE, 'public:declared.one']) {
    const subscription = centrifuge.newSubscription(name, { recoverable: true, joinLeave: name === CHANNEL });
    subscription.subscribe();
    await subscription.ready(5000);
    if (name !== CHANNEL) continue;
    await subscription.presence();
    await subscription.presenceStats();
    await subscription.history({ limit: 1 });
  }
  await centrifuge.publish(PRIVATE, {});
  await call('Publish', { name: CHANNEL, data, idempotency_key: 'ONCE' });
  await call('Publish', { name: CHANNEL, data });
  await growMessage(call);
  await call('Presence', { name: CHANNEL });
  await call('GetChannel', { name: CHANNEL });
  await call('ListChannels', {});
  const { refresh_token } = credentials;
  await call('RefreshToken', { refresh_token });
  await call('RefreshToken', { refresh_token }).catch(ignoreCoded); // used twice: the family ends
  await call('PublishOrSink', { name: 'public:outside.none', data, sink: 'orders', message: { body: 'b' } });
  const { items } = await call('DlqList', { sink: 'orders' });
  await call('DlqCount', { sink: 'orders' });
  const [letter = { id: '' }] = items;
  await call('DlqReplay', { id: letter.id });
  await eventually(
    'the letter is back',
    async () => (await call('DlqCount', { sink: 'orders' })).count === 1,
  );
  const [again = { id: '' }] = (await call('DlqList', { sink: 'orders' })).items;
  await call('DlqDiscard', { id: again.id, undo_seconds: 60 });
  await call('DlqRestore', { ids: [again.id] });
  await call('DlqDiscard', { id: again.id });
  const { id } = await call('GenerateKey', {});
  await call('PromoteKey', { id });
  await call('ListKeys', {});
  await call('ReloadKeys', {});
  await call('RegisterSchema', { schema: { pattern: PATTERN } });
  await call('ListSchemas', {});
  await call('DeregisterSchema', { pattern: PATTERN });
  centrifuge.disconnect();
  await call('RevokeToken', { token_id: 'token-1' });
  await call('RevokeUser', { user_id: 'user-1' });
  await call('DeleteChannel', { name: PRIVATE });
}

/** A message that opens, grows and ends, and one that the sweeps of the nodes see open. */
async function growMessage(call: ReturnType<typeof createRpcClient>['call']): Promise<void> {
  await call('OpenPublic', { name: STREAM });
  const ended = { name: STREAM, message: 'message-1', producer: 'producer-1' };
  await call('Append', { ...ended, seq: 1, text: 'a' });
  await call('Append', { ...ended, seq: 2, ops: [{ status: 'complete' }] });
  const open = { name: STREAM, message: 'message-2', producer: 'producer-1' };
  await call('Append', { ...open, seq: 1, text: 'a' });
  await call('AppendState', { name: STREAM });
  await call('AppendCancel', { name: STREAM, message: open.message });
}

/** What counts is what the call uses on the store, not what it answers. */
function ignoreCoded(error: unknown): void {
  if (!(error instanceof MsgError)) throw error;
}
