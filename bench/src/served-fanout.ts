import { measureInTurns, type Pair } from './comparison.ts';
import type { Published } from './load/peers-questions.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';

const LOAD = new URL('./load/peers.ts', import.meta.url);
/** The CPU of another process is counted in hundredths of a second: a round may not be short. */
const SHORTEST_MS = 2000;

export interface Delivered {
  readonly cpuUs: number;
  readonly deliveries: number;
}

/**
 * Deliveries of a `msg serve` with default settings, published through the RPC, against what `baseline` measures. Whatever
 * a publication costs is in the CPU, divided by the subscribers.
 */
export async function servedFanout(
  { subscribers, perChannel }: { readonly subscribers: number; readonly perChannel: number },
  { pairs, sliceMs }: { readonly pairs: number; readonly sliceMs: number },
  baseline: () => Promise<Delivered>,
): Promise<readonly Pair<Delivered>[]> {
  const { server, token } = await startMsgRpc([]);
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  const ms = Math.max(SHORTEST_MS, sliceMs);
  try {
    await load.ask({
      kind: 'open',
      dialect: 'msg',
      credential: token,
      port: server.port,
      channel: CHANNEL,
      count: subscribers,
    });
    const served = async (): Promise<Delivered> => {
      const before = server.cpuUs();
      const { deliveries } = await load.ask<Published>({ kind: 'publish', atOnce: perChannel, ms });
      return { cpuUs: server.cpuUs() - before, deliveries };
    };
    return await measureInTurns(pairs, served, baseline);
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
}
