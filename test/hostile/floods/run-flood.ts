import { setTimeout as wait } from 'node:timers/promises';
import { PEERS_CORE, pin, SERVICE_CORE } from '../cores.ts';
import { HealthyClient } from '../healthy/client.ts';
import type { HealthyReport } from '../healthy/messages.ts';
import { MemoryWatch, settledBytes } from '../process-state.ts';
import type { SeededRandom } from '../random.ts';
import { type FloodKind, MIB } from './flood.ts';
import type { Scene } from './scene.ts';

const CHANNEL = 'public:hostile.healthy';
/** How long the healthy client publishes before the attack, and at least during it. */
const STRETCH_MS = 3000;
const SHORT_STRETCH_MS = 1000;

/** What a flood did to a service and to a healthy client of it. */
export interface FloodReport {
  readonly name: string;
  readonly summary: string;
  /** Growth while the flood was in place and the garbage collected, bytes. This is what is bounded. */
  readonly heldBytes: number;
  /** Highest growth seen, garbage included, bytes. */
  readonly peakBytes: number;
  readonly growthBytes: number;
  readonly quiet: HealthyReport;
  readonly attacked: HealthyReport;
  readonly faults: readonly string[];
}

/** Runs one flood, with a healthy client beside it. */
export async function runFlood(
  kind: FloodKind,
  { target, operated }: Scene,
  random: SeededRandom,
  short: boolean,
): Promise<FloodReport> {
  const { url, token } = operated;
  const call = (method: string, request: object): Promise<unknown> => operated.call(method, request);
  await call('OpenPublic', { name: CHANNEL });
  pin(target.pid, SERVICE_CORE);
  pin(process.pid, PEERS_CORE);
  const healthy = await HealthyClient.start({ url, token, channel: CHANNEL });
  try {
    const stretchMs = short ? SHORT_STRETCH_MS : STRETCH_MS;
    healthy.begin();
    await wait(stretchMs);
    const quiet = await healthy.end();
    const failuresBefore = target.failures().length;
    const around = { url: target.url, routes: target.routes, random, short, call };
    await kind.prepare?.({ ...around, inPlace: async () => {} });
    const before = await settledBytes(target.pid);
    let heldBytes = 0;
    const inPlace = async (): Promise<void> => {
      heldBytes = Math.max(heldBytes, (await settledBytes(target.pid)) - before);
    };
    const watch = new MemoryWatch(target.pid);
    healthy.begin();
    const atLeast = wait(stretchMs);
    const faults: string[] = [];
    const summary = await kind
      .run({ ...around, inPlace }, short ? kind.fewerPeers : kind.peers)
      .catch((error: unknown) => {
        faults.push(errorText(error));
        return 'broke off';
      });
    await atLeast;
    const attacked = await healthy.end();
    const peakBytes = watch.stop() - before;
    if (!target.isRunning()) faults.push('the service has ended');
    if (heldBytes > kind.growthBytes) faults.push(`memory grew by ${Math.round(heldBytes / MIB)} MiB`);
    const failures = target.failures().slice(failuresBefore);
    if (failures.length > 0) faults.push(`${failures.length} failures in the log: ${failures[0]}`);
    const { name, growthBytes } = kind;
    const client = healthyFaults(attacked);
    return {
      name,
      summary,
      heldBytes,
      peakBytes,
      growthBytes,
      quiet,
      attacked,
      faults: [...faults, ...client],
    };
  } finally {
    await healthy.stop();
  }
}

/** What a healthy client must not see. Its times are printed, not judged. */
function healthyFaults({ missed, doubled, failed, failure, published }: HealthyReport): string[] {
  const counts = [
    [missed, 'publications were missed by the healthy client'],
    [doubled, 'publications came twice to the healthy client'],
    [failed, `publishes of the healthy client failed: ${failure}`],
  ] as const;
  const faults = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return published === 0 ? [...faults, 'the healthy client could not publish'] : faults;
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
