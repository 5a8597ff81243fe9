import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenApiExample } from '@msg/core/internal';
import { freePort, type MsgServer, startMsg } from '@msg/testkit';
import { Centrifuge } from 'centrifuge';

/** One call as it went over the wire: the name that its example has, and its path. */
export interface Exchange extends OpenApiExample {
  /** The method of the RPC, or `api/<command>`. */
  readonly name: string;
  readonly path: string;
  readonly status: number;
}

type Json = Readonly<Record<string, unknown>>;
/** What earlier calls answered, by name. */
type Answers = ReadonlyMap<string, Json>;
type Step = readonly [name: string, request: Json | ((answers: Answers) => Json)];

const NEWS = 'public:shop.news';
const LOG = 'public:shop.log';
const ORDER = 'private:shop.order.1042';
const SCOPES = [{ pattern: ORDER, verbs: ['subscribe'] }];
const SCHEMA = {
  pattern: 'public:shop.order.{id}',
  description: 'where an order stands',
  aspects: {
    status: {
      payload_schema: {
        type: 'object',
        required: ['state'],
        properties: { state: { type: 'string', enum: ['open', 'paid'] } },
      },
    },
  },
};

const memberOf = (answers: Answers, name: string, member: string): unknown => answers.get(name)?.[member];
const activeKey = (answers: Answers): unknown => memberOf(answers, 'ListKeys', 'active_key_id');
function deadLetter(answers: Answers): unknown {
  const items = memberOf(answers, 'DlqList', 'items') as readonly Json[]; // of the answer before
  return items[0]?.['id'];
}
function job(answers: Answers): unknown {
  const jobs = memberOf(answers, 'DlqJobs', 'jobs') as readonly Json[]; // of the answer before
  return jobs[0]?.['id'];
}
function firstConnection(answers: Answers): unknown {
  const rows = memberOf(answers, 'ListConnections', 'connections') as readonly Json[]; // of the answer before
  return rows[0]?.['client'];
}
const REVOKED_ID = 'T8rkYbi2yziU3MxCH7DAzA';
const sinkRequest = {
  name: 'public:shop.order.7',
  json: { state: 'paid' },
  sink: 'orders',
  message: { subject: 'Order 7', body: 'paid' },
};

/** Every method and command once, in an order in which each succeeds. */
const STEPS: readonly Step[] = [
  ['Manifest', {}],
  ['WhoAmI', {}],
  [
    'CreateApiKey',
    { name: 'reports', grants: [{ pattern: 'public:shop.**', verbs: ['publish'] }], ttl_seconds: 86_400 },
  ],
  ['ListApiKeys', {}],
  ['RotateApiKey', { name: 'reports', overlap_seconds: 3600 }],
  ['RevokeApiKey', { name: 'reports' }],
  ['OpenPublic', { name: NEWS, ttl_seconds: 3600 }],
  ['CreatePrivate', { name: ORDER, subject: 'ann', scopes: SCOPES }],
  ['ListChannels', {}],
  ['GetChannel', { name: NEWS }],
  ['Publish', { name: NEWS, json: { headline: 'Hello' } }],
  [
    'PublishMany',
    {
      items: [
        { name: NEWS, json: 1 },
        { name: 'public:shop.closed', json: 2 },
      ],
    },
  ],
  ['Broadcast', { names: [NEWS, ORDER], json: { closes: '20:00' } }],
  ['Presence', { name: NEWS }],
  ['PresenceList', { name: NEWS }],
  ['ListConnections', { name: NEWS, limit: 10 }],
  ['GetConnection', answers => ({ client: firstConnection(answers) })],
  ['OpenFeed', { topics: ['stats', 'hints'] }],
  ['RenewFeed', answers => ({ feed: memberOf(answers, 'OpenFeed', 'feed') })],
  ['StartTail', answers => ({ feed: memberOf(answers, 'OpenFeed', 'feed'), name: NEWS, max_per_second: 10 })],
  [
    'StopTail',
    answers => ({
      feed: memberOf(answers, 'OpenFeed', 'feed'),
      tail: memberOf(answers, 'StartTail', 'tail'),
    }),
  ],
  ['CloseFeed', answers => ({ feed: memberOf(answers, 'OpenFeed', 'feed') })],
  ['StartRecording', answers => ({ client: firstConnection(answers), seconds: 30 })],
  ['GetRecording', answers => ({ recording: memberOf(answers, 'StartRecording', 'recording') })],
  ['StopRecording', answers => ({ recording: memberOf(answers, 'StartRecording', 'recording') })],
  ['ListUsers', { query: 'a' }],
  ['ListNodes', {}],
  ['Config', {}],
  ['Unsubscribe', { name: ORDER, user: 'ben' }],
  ['Disconnect', { user: 'ben', reason: 'left the company' }],
  ['History', { name: NEWS, reverse: true, limit: 1 }],
  ['TouchChannel', { name: NEWS }],
  ['Position', { name: NEWS }],
  [
    'ExplainAccess',
    answers => ({
      name: ORDER,
      verb: 'subscribe',
      token: memberOf(answers, 'CreatePrivate', 'access_token'),
    }),
  ],
  ['RefreshToken', answers => ({ refresh_token: memberOf(answers, 'CreatePrivate', 'refresh_token') })],
  [
    'IssueAccess',
    { subject: 'ann', scopes: [{ pattern: 'private:shop.**', verbs: ['subscribe', 'publish'] }] },
  ],
  ['IssueMgmt', { subject: 'deploy', ttl_seconds: 3600 }],
  ['Append', { name: LOG, message: 'm1', producer: 'backend-1', seq: 1, ops: [{ text: 'All is ' }] }],
  ['AppendState', { name: LOG }],
  ['AppendCancel', { name: LOG, reason: 'no longer needed' }],
  ['PublishOrSink', sinkRequest],
  ['DlqList', { sink: 'orders', limit: 10 }],
  ['DlqCount', { sink: 'orders' }],
  ['DlqGet', answers => ({ id: deadLetter(answers) })],
  ['DlqGroups', { sink: 'orders' }],
  ['DlqReplay', answers => ({ id: deadLetter(answers) })],
  ['DlqRedrive', { sink: 'orders', all: true }],
  ['DlqJobs', {}],
  ['DlqJobStop', answers => ({ job: job(answers) })],
  [
    'DlqUpdate',
    answers => ({ id: deadLetter(answers), message: { subject: 'Order 7', body: 'paid', metadata: {} } }),
  ],
  ['DlqDiscard', answers => ({ id: deadLetter(answers), undo_seconds: 60 })],
  ['DlqRestore', answers => ({ ids: [deadLetter(answers)] })],
  ['RegisterSchema', { schema: SCHEMA }],
  ['ListSchemas', {}],
  ['GetSchema', { channel: 'public:shop.order.7' }],
  ['CheckSchema', { schema: { ...SCHEMA, description: 'the state of an order' } }],
  ['UpdateSchema', { schema: { ...SCHEMA, description: 'the state of an order' } }],
  ['DeregisterSchema', { pattern: SCHEMA.pattern }],
  ['RevokeToken', { token_id: REVOKED_ID, reason: 'a lost laptop' }],
  ['RevokeUser', { user_id: 'ben', reason: 'left the company' }],
  ['ListKeys', {}],
  ['KeyUsage', {}],
  ['GenerateKey', { alg: 'ES256' }],
  ['PromoteKey', answers => ({ id: memberOf(answers, 'GenerateKey', 'id') })],
  ['RetireKey', answers => ({ id: activeKey(answers) })],
  ['ReloadKeys', {}],
  ['AuditList', { method: 'RetireKey', limit: 1 }],
  ['api/publish', { channel: NEWS, data: { headline: 'Good morning' }, tags: { topic: 'world' } }],
  ['api/broadcast', { channels: [NEWS, 'public:shop.closed'], data: { closes: '20:00' } }],
  ['api/subscribe', { user: 'ann', channel: ORDER, expire_at: 2_000_000_000 }],
  ['api/unsubscribe', { user: 'ann', channel: ORDER }],
  ['api/disconnect', { user: 'ben', whitelist: ['50f649f2-e4f5-41c0-9325-3ae2e97af65e'] }],
  ['api/refresh', { user: 'ann', expire_at: 2_000_000_000 }],
  ['api/presence', { channel: NEWS }],
  ['api/presence_stats', { channel: NEWS }],
  ['api/history', { channel: NEWS, limit: 2, reverse: true }],
  ['api/channels', { pattern: 'public:shop.*' }],
  ['api/info', {}],
  ['api/rpc', { method: 'stock', params: { article: 7 } }],
  ['api/revoke_token', { uid: REVOKED_ID }],
  ['api/invalidate_user_tokens', { user: 'ben' }],
  [
    'api/batch',
    {
      commands: [{ publish: { channel: NEWS, data: 1 } }, { presence_stats: { channel: NEWS } }],
      parallel: true,
    },
  ],
  ['api', { id: 1, method: 'publish', params: { channel: NEWS, data: 2 } }],
  ['api/history_remove', { channel: NEWS }],
  ['RemoveHistory', { name: NEWS }],
  ['CloseChannel', { name: NEWS }],
  ['DeleteChannel', { name: NEWS }],
];

function configuration(digest: string, hook: number): string {
  return `auth:
  api_keys:
    - { name: shop, sha256: ${digest} }
api:
  enabled: true
channels:
  - pattern: 'public:shop.**'
    presence: true
  - pattern: '${LOG}'
    append: true
  - pattern: 'private:shop.**'
    presence: true
sinks: { orders: { kind: webhook, url: 'http://127.0.0.1:${hook}/hooks/orders' } }
sink_retry: { max_attempts: 1 }
`;
}

const pathOf = (name: string): string =>
  /^api(\/|$)/.test(name) ? `/${name}` : `/twirp/msg.MsgService/${name}`;

/** A client that is subscribed where the steps look at presence. */
async function subscriber(server: MsgServer): Promise<Centrifuge> {
  const client = new Centrifuge(server.websocketUrl, { websocket: globalThis.WebSocket });
  const subscription = client.newSubscription(NEWS);
  subscription.subscribe();
  client.connect();
  await subscription.ready(20_000);
  return client;
}

/** Starts a service, makes every step with an API key, and stops it. */
export async function exchangeAll(): Promise<readonly Exchange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
  const key = `msgk_${randomBytes(24).toString('hex')}`;
  const file = join(folder, 'msg.yaml');
  const digest = createHash('sha256').update(key).digest('hex');
  writeFileSync(file, configuration(digest, await freePort()));
  const server = await startMsg({ args: ['--config', file, '--state-dir', join(folder, 'state')] });
  let client: Centrifuge | undefined;
  try {
    const ask = (name: string, request: unknown): Promise<Response> =>
      fetch(server.url + pathOf(name), {
        method: 'POST',
        headers: { 'X-API-Key': key, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
    // An answer that nobody reads keeps its connection, and with it this process.
    await (await ask('OpenPublic', { name: LOG })).text();
    const answers = new Map<string, Json>();
    const exchanges: Exchange[] = [];
    for (const [name, asked] of STEPS) {
      const request = typeof asked === 'function' ? asked(answers) : asked;
      const answer = await ask(name, request);
      const body = JSON.parse(await answer.text()) as Json; // compared with the document by the caller
      answers.set(name, body);
      exchanges.push({ name, path: pathOf(name), request, status: answer.status, answer: body });
      if (name === 'OpenPublic') client = await subscriber(server);
    }
    return exchanges;
  } finally {
    client?.disconnect();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
