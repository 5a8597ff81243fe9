import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoundRobinProxy, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import type { ApiTarget, OwnSuiteService } from './sdk.ts';

/** Where the service runs. */
export const TOPOLOGIES = ['one node in memory', 'two nodes on Redis'] as const;
export type SdkTopology = (typeof TOPOLOGIES)[number];

/** The key that the SDKs' own suites present. */
export const KEY = 'api_key';
const NODES = 2;

const USUAL: OwnSuiteService = { open: false, withoutHistory: false };

function configuration({ open, withoutHistory }: OwnSuiteService): string {
  const history = withoutHistory ? 'history_size: 0' : 'history_size: 100, history_ttl: 300s';
  return `${open ? 'server: { no_auth: true }\n' : ''}auth:
  api_keys: [{ name: backend, key: ${KEY}, allow_weak: true }]
api: { enabled: true, open_channels: auto, bare_names: "public:app." }
channels: [{ pattern: "public:app.**", ${history}, presence: true }]
`;
}

interface Part {
  stop(): Promise<void>;
}

/** `msg serve` with its HTTP API, as a backend that comes from elsewhere needs it. */
export class SdkService {
  readonly target: ApiTarget;
  readonly #parts: readonly Part[];
  readonly #folder: string;

  private constructor(url: string, parts: readonly Part[], folder: string) {
    this.target = { url: `${url}/api`, key: KEY };
    this.#parts = parts;
    this.#folder = folder;
  }

  /** @param port of the loopback interface; 0: a free one */
  static async start(topology: SdkTopology, service = USUAL, port = 0): Promise<SdkService> {
    const folder = mkdtempSync(join(tmpdir(), 'msg-server-sdks-'));
    const config = join(folder, 'msg.yaml');
    writeFileSync(config, configuration(service));
    const parts: Part[] = [];
    const start = async <P extends Part>(part: Promise<P>): Promise<P> => {
      parts.unshift(await part);
      return part;
    };
    try {
      if (topology === 'one node in memory') {
        const { url } = await start(startMsg({ args: ['--config', config], port }));
        return new SdkService(url, parts, folder);
      }
      const { address } = await start(RedisServer.start());
      const args = ['--config', config, '--redis-addr', address];
      const nodes: string[] = [];
      for (let node = 0; node < NODES; node++) nodes.push((await start(startMsg({ args }))).url);
      const { url } = await start(RoundRobinProxy.start(nodes, port));
      return new SdkService(url, parts, folder);
    } catch (error) {
      await stopAll(parts, folder);
      throw error;
    }
  }

  stop(): Promise<void> {
    return stopAll(this.#parts, this.#folder);
  }
}

async function stopAll(parts: readonly Part[], folder: string): Promise<void> {
  for (const part of parts) await part.stop();
  rmSync(folder, { recursive: true, force: true });
}
