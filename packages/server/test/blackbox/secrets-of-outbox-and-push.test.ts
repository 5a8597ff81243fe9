import { createECDH, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort, WebhookReceiver } from '@msg/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli-io.ts';
import { temporaryFolder } from '../support/folders.ts';
import { OutboxDatabase } from '../support/outbox-database.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const PAGES = ['/readyz', '/healthz', '/manifest', '/metrics', '/openapi.json'];
const CHANNEL = 'public:shop.user.7';

function recipientOf(port: number) {
  const keys = createECDH('prime256v1');
  const path = randomBytes(24).toString('base64url');
  return {
    path,
    recipient: {
      endpoint: `https://127.0.0.1:${port}/wpush/v2/${path}`,
      keys: {
        p256dh: keys.generateKeys().toString('base64url'),
        auth: randomBytes(16).toString('base64url'),
      },
    },
  };
}

it('no secret of a recipient, no VAPID key and no password of a database is in any output', async () => {
  const database = await OutboxDatabase.start();
  onTestFinished(() => database.stop());
  const collector = new WebhookReceiver({
    status: 200,
    headers: { 'content-type': 'application/x-protobuf' },
  });
  onTestFinished(() => collector.close());
  const { private_key: vapid } = { ...(await runCli(['vapid', 'generate'])).envelope?.payload };
  const config = join(await temporaryFolder(), 'msg.yaml');
  const push = `{ kind: webpush, vapid_subject: "mailto:ops@example.com", vapid_private_key: "${vapid}", allow_private: true }`;
  writeFileSync(
    config,
    `observability: { otlp_endpoint: "${await collector.listen()}" }
sinks: { push: ${push} }
sink_retry: { max_attempts: 2, base_backoff: 1ms, max_backoff: 2ms }
outbox: { open_channels: auto, poll_interval: 20ms }
`,
  );
  // Nothing listens there: deliveries are parked.
  const { recipient, path } = recipientOf(await freePort());
  const secrets = [
    ...[String(vapid), database.server.password, path],
    ...[recipient.keys.auth, recipient.keys.p256dh],
  ];
  await runCli(['outbox', 'migrate'], { env: database.env() });
  const server = await startServer({ args: ['--config', config], env: database.env() });
  onTestFinished(() => server.stop());
  const call = rpcOf(server.url, server.token);
  await call('OpenPublic', { name: CHANNEL });
  const outputs: string[] = [];
  const command = async (...words: readonly string[]): Promise<string> => {
    const env = { ...database.env(), MSG_SERVER: server.url, MSG_TOKEN: server.token };
    const { stdout, stderr } = await runCli(words, { env });
    outputs.push(stdout, stderr);
    return stdout;
  };
  const ask = async (method: string, request: object): Promise<void> =>
    void outputs.push(JSON.stringify(await call(method, request)));

  // Through the outbox, and straight; with a recipient that is refused, too.
  const row = `'${CHANNEL}', '1'::jsonb, 'push', '${JSON.stringify(recipient)}', '{"body": "hi"}'`;
  database.sql(`SELECT msg.publish_or_sink(${row})`);
  const message = { body: 'hi' };
  await ask('PublishOrSink', { name: CHANNEL, sink: 'push', recipient, message });
  const bad = { ...recipient, keys: { ...recipient.keys, auth: `${recipient.keys.auth}x` } };
  await ask('PublishOrSink', { name: CHANNEL, sink: 'push', recipient: bad, message });
  database.sql(`SELECT msg.publish_or_sink(${row.replace("'push'", "'none'")})`);
  await eventually('two letters', async () => (await command('dlq', 'count', 'push')).includes('"count": 2'));
  await eventually('a dead row', async () => (await command('outbox', 'status')).includes('"dead_rows": 1'));
  const listed = JSON.parse(await command('dlq', 'list', 'push'));
  const id = String(listed.payload.items[0].id);
  for (const words of [['get', id], ['replay', id], ['groups', 'push'], ['jobs']])
    await command('dlq', ...words);
  await command('outbox', 'dead', 'list');
  for (const method of ['Config', 'ListNodes', 'ListAudit', 'WhoAmI']) await ask(method, {});
  await command('config', 'print', '--config', config);
  await command('config', 'check', config);

  // A database that is away, and one that refuses.
  await database.server.kill();
  await eventually('it is told', () => server.output().stderr.includes('outbox: waiting'));
  await command('outbox', 'status');
  for (const page of PAGES) outputs.push(await (await fetch(server.url + page)).text());
  await database.server.restart();
  database.sql(`ALTER ROLE admin PASSWORD 'another'`);
  await command('outbox', 'dead', 'list');
  await eventually('spans were sent', () => collector.received.length > 0);
  await server.stop();
  const { stdout, stderr } = server.output();
  const traces = collector.received.map(({ bytes }) => Buffer.from(bytes).toString('latin1'));
  outputs.push(stdout, stderr, ...traces);

  const written = outputs.join('\n');
  for (const [index, secret] of secrets.entries()) {
    expect(secret.length).toBeGreaterThan(10);
    expect(written.includes(secret), `secret ${index} is written`).toBe(false);
  }
  // The looking looks: what is shown of a recipient is there.
  for (const text of [
    path.slice(-6),
    '127.0.0.1',
    'push',
    CHANNEL,
    'refuses the role: 28P01',
    'outbox: waiting',
  ])
    expect(written).toContain(text);
}, 180_000);
