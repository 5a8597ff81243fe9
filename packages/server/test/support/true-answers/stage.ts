import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { eventually, type MsgServer, startMsg, WebhookReceiver } from '@msg/testkit';
import type { PublicationContext } from 'centrifuge';
import { type CliRun, type CliRunOptions, runCli } from '../cli-io.ts';
import { CLIENT_ID, type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { TestKey, writeKeyring } from '../minting.ts';
import { OutboxDatabase } from '../outbox-database.ts';
import { type RpcAnswer, rpcOf } from '../rpc.ts';
import { expectNoSecrets } from '../server.ts';
import { closeClients, received, type SubscribeOutcome, stockClient, trySubscribe } from '../stock-client.ts';
import { onMemory, onStoreOfRun } from '../store-of-run.ts';

/** The sink that leads to the stage's hook server. */
export const SINK = 'orders';

/** Pattern below which publications must fit their schema. */
export const STRICT = 'public:strict.**';

/** Beginnings of names: any, those with a schema, those whose messages may grow. */
type PublicKind = 'public:stage' | 'public:strict' | 'public:grow';

/** Somebody who listens to a channel. */
export interface Listener {
  readonly publications: readonly PublicationContext[];
  /** The epoch of the subscription's position. */
  epoch(): Promise<string>;
  /** Data of what the channel keeps, at most so many. */
  history(limit: number): Promise<readonly unknown[]>;
  /** Code with which the subscription ended. */
  readonly ended: Promise<number>;
  leave(): void;
}

/** The one server of the table, and all that looks at it from outside. */
export class Stage {
  readonly server: MsgServer;
  /** The key that signs at the start. */
  readonly key: TestKey;
  readonly hook: WebhookReceiver;
  readonly provider: IdentityProvider;
  /** The configuration file of the server. */
  readonly config: string;
  /** Flags that lead the offline key commands to the keyring of the server. */
  readonly keyring: readonly string[];
  readonly #folder: string;
  #serial = 0;
  #database: Promise<OutboxDatabase> | undefined;

  private constructor(
    parts: Pick<Stage, 'server' | 'key' | 'hook' | 'provider' | 'config' | 'keyring'>,
    folder: string,
  ) {
    ({
      server: this.server,
      key: this.key,
      hook: this.hook,
      provider: this.provider,
      config: this.config,
      keyring: this.keyring,
    } = parts);
    this.#folder = folder;
  }

  static async open(): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'msg-answers-'));
    const [hook, provider, key] = [new WebhookReceiver(), await startIdentityProvider(), new TestKey()];
    const [config, state] = [join(folder, 'msg.yaml'), join(folder, 'state')];
    await writeKeyring(state, key);
    await writeFile(
      config,
      `channels: { rules: [{ pattern: "public:grow.**", append: true, append_window: 0 }] }
auth: { keyring_poll: 1h, oidc: { issuer: "${provider.issuer}", audience: ${CLIENT_ID}, allow_all: true } }
manager: { sweep_interval: 20ms }
rate_limits: { publish: { rate: 1234, per: 1s } }
schema_validation: [{ pattern: "${STRICT}", mode: strict }]
sinks: { ${SINK}: { kind: webhook, url: "${await hook.listen()}" } }
sink_retry: { max_attempts: 2, base_backoff: 1ms, max_backoff: 2ms }
`,
    );
    const options = await onStoreOfRun({ args: ['--config', config, '--state-dir', state] });
    const { args = [] } = options;
    const server = await startMsg(options);
    const keyring = onMemory ? ['--state-dir', state] : args.slice(args.indexOf('--redis-addr'));
    return new Stage({ server, key, hook, provider, config, keyring }, folder);
  }

  async close(): Promise<void> {
    closeClients();
    await this.server.stop();
    await this.provider.stop();
    await this.hook.close();
    await (await this.#database)?.stop();
    await rm(this.#folder, { recursive: true, force: true });
    expectNoSecrets(this.server);
  }

  /** The PostgreSQL of the rows that need one. */
  database(): Promise<OutboxDatabase> {
    this.#database ??= OutboxDatabase.start();
    return this.#database;
  }

  /** A channel name that nobody used. */
  fresh(kind: PublicKind | 'private:stage' = 'public:stage'): string {
    return `${kind}.answer.n${++this.#serial}`;
  }

  /** The typed client, as the operator or with another bearer. */
  client(token = this.server.token) {
    return createRpcClient<AbortSignal>({ server: this.server.url, token, fetch: globalThis.fetch });
  }

  /** The RPC as the operator or with another bearer, refusals included. */
  rpc(method: string, request: object, token = this.server.token): Promise<RpcAnswer> {
    return rpcOf(this.server.url, token)(method, request);
  }

  /** True while a bearer opens a method. */
  async accepts(bearer: string): Promise<boolean> {
    return (await this.rpc('ListChannels', {}, bearer)).status === 200;
  }

  command(args: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
    const env = { MSG_SERVER: this.server.url, MSG_TOKEN: this.server.token };
    return runCli(args, { env, ...options });
  }

  /** Runs a command to its success. */
  async succeed(args: readonly string[], options: CliRunOptions = {}): Promise<CliRun> {
    const run = await this.command(args, options);
    if (run.code !== 0) throw new Error(`msg ${args.join(' ')} ended with ${run.code}: ${run.stderr}`);
    return run;
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> }> {
    const answer = await fetch(this.server.url + path);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }; // JSON objects only
  }

  /** What becomes of a subscribe over a new connection. */
  subscribe(channel: string, token?: string): Promise<SubscribeOutcome> {
    return trySubscribe(this.server.websocketUrl, channel, token === undefined ? {} : { connect: token });
  }

  /** The code of a client's publish over a new connection, or `ok`. */
  async publish(channel: string, token: string, data: unknown = {}): Promise<number | 'ok'> {
    const client = stockClient(this.server.websocketUrl, { token });
    client.connect();
    try {
      await client.publish(channel, data);
      return 'ok';
    } catch (error) {
      return typeof error === 'object' && error !== null && 'code' in error ? Number(error.code) : -1;
    } finally {
      client.disconnect();
    }
  }

  /** A subscriber; resolves when it listens. */
  async listener(channel: string, token?: string): Promise<Listener> {
    const client = stockClient(this.server.websocketUrl, token === undefined ? {} : { token });
    const subscription = client.newSubscription(channel);
    const publications = received(subscription);
    const ended = new Promise<number>(resolve =>
      subscription.on('unsubscribed', ({ code }) => resolve(code)),
    );
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    return {
      publications,
      ended,
      epoch: async () => (await subscription.history({ limit: 0 })).epoch,
      history: async limit => (await subscription.history({ limit })).publications.map(({ data }) => data),
      leave: () => client.disconnect(),
    };
  }

  async opened(kind: PublicKind = 'public:stage'): Promise<string> {
    const name = this.fresh(kind);
    await this.client().call('OpenPublic', { name });
    return name;
  }

  /** A new private channel with its pair. */
  async created(subject = 'somebody') {
    const name = this.fresh('private:stage');
    return this.client().call('CreatePrivate', { name, subject });
  }

  /** Removes all dead letters, then parks so many; answers the texts that the hook server was sent in vain. */
  async parked(count: number): Promise<readonly string[]> {
    const client = this.client();
    for (const { id } of (await client.call('DlqList', {})).items) await client.call('DlqDiscard', { id });
    this.hook.behaviour = { status: 503 };
    const bodies = Array.from({ length: count }, () => `letter ${++this.#serial}`);
    for (const body of bodies) {
      const request = { name: this.fresh(), sink: SINK, message: { body } };
      const { outcome } = await client.call('PublishOrSink', request);
      if (outcome !== 'parked') throw new Error(`not parked but ${outcome}`);
    }
    return bodies;
  }

  /** How often the hook server was sent a text. */
  sends(body: string): number {
    return this.hook.received.filter(hook => JSON.parse(hook.body).body === body).length;
  }

  /** Resolves when as many listen as expected. */
  listening(name: string, count: number): Promise<void> {
    return eventually(`${count} listen`, async () => {
      return (await this.client().call('Presence', { name })).subscribers === count;
    });
  }
}

/** The claims of a token. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
}

/** The id of the key that signed a token. */
export function signerOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString('utf8')).kid;
}
