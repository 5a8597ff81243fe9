import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MsgServer } from '@msg/testkit';
import { type Algorithm, TestKey, writeKeyring } from './minting.ts';
import { rpcOf } from './rpc.ts';
import { startServer } from './server.ts';
import { closeClients } from './stock-client.ts';

/** A server that signs with an algorithm, and whose key is known here. */
export class TokenService {
  readonly key: TestKey;
  server!: MsgServer;
  /** As the operator. */
  rpc!: ReturnType<typeof rpcOf>;
  /** Without a bearer. */
  anyone!: ReturnType<typeof rpcOf>;
  #folder = '';
  #serial = 0;

  constructor(alg: Algorithm) {
    this.key = TestKey.of(alg);
  }

  async start(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'msg-tokens-'));
    await writeKeyring(this.#folder, this.key);
    this.server = await startServer({ args: ['--state-dir', this.#folder] });
    this.rpc = rpcOf(this.server.url, this.server.token);
    this.anyone = rpcOf(this.server.url);
  }

  async stop(): Promise<void> {
    closeClients();
    await this.server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** A new private channel and its pair. */
  async create(request: object = {}) {
    const name = `private:shop.token.${++this.#serial}`;
    const { body } = await this.rpc('CreatePrivate', { name, subject: 'u-1', ...request });
    return { name, access: String(body['access_token']), refresh: String(body['refresh_token']) };
  }

  refresh(refresh_token: string) {
    return this.anyone('RefreshToken', { refresh_token });
  }
}
