// `msg serve` with the outbox of the database. It is started again when it ends, as systemd or Kubernetes do.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type MsgServer, startMsg } from '@msg/testkit';
import { CHANNEL } from './model.ts';

export class Service {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** What the backend shows to the service. */
  readonly key: string;
  readonly #folder: string;
  readonly #start: () => Promise<MsgServer>;
  #server: MsgServer | undefined;
  #isStopping = false;

  private constructor(port: number, key: string, folder: string, start: () => Promise<MsgServer>) {
    this.url = `http://127.0.0.1:${port}`;
    this.key = key;
    this.#folder = folder;
    this.#start = start;
  }

  /** @param database where the outbox is */
  static async start(database: string): Promise<Service> {
    const folder = await mkdtemp(join(tmpdir(), 'orders-'));
    const key = `msgk_${randomBytes(24).toString('hex')}`;
    const digest = createHash('sha256').update(key).digest('hex');
    const config = join(folder, 'msg.yaml');
    await writeFile(
      config,
      `auth:
  api_keys:
    - { name: shop, sha256: ${digest} }
channels:
  open:
    - { name: "${CHANNEL}", ttl: never }
`,
    );
    const port = await freePort();
    const args = ['--config', config, '--allowed-origin', 'loopback'];
    // The address has a password: it stands in no list of processes.
    const env = { MSG_OUTBOX_POSTGRES_URL: database };
    const service = new Service(port, key, folder, () => startMsg({ port, args, env }));
    await service.#run();
    return service;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#server?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #run(): Promise<void> {
    const server = await this.#start();
    this.#server = server;
    console.log(`msg is process ${server.pid}`);
    void server.exited().then(() => {
      if (!this.#isStopping) void this.#run();
    });
  }
}
