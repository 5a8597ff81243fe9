import { createRpcClient } from '@msg/core';
import { measureInTurns, numericOptions } from './comparison.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import type { RepeatingQuestion, RepeatingRun } from './repeating.ts';
import { printQuantity } from './report.ts';
import type { RpcServer } from './rpc-server.ts';
import { startMsgRpc } from './servers/msg-rpc.ts';

const DEFAULTS = { pairs: 9, connections: 16, slice: 2000 };
const LOAD = new URL('./waiting-load.ts', import.meta.url);
/** Never opened: its subscribers wait. */
const NOT_OPEN = 'public:bench.later';
/** Opened and deleted: its subscribers are refused for good. */
const DELETED = 'public:bench.deleted';

/** The channel that each connection of the load subscribes to. */
export interface WaitingTarget {
  readonly channel: string;
}

interface Sample extends RepeatingRun {
  readonly cpuUs: number;
}

/** Retries of subscribers that wait for their channel, against subscribes that are refused for good. */
export async function run(args: string[]): Promise<void> {
  const { pairs, connections, slice } = numericOptions(args, DEFAULTS);
  const { server, token } = await startMsgRpc([]);
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  try {
    const rpc = createRpcClient({ server: `http://127.0.0.1:${server.port}`, token, fetch });
    await rpc.call('OpenPublic', { name: DELETED });
    await rpc.call('DeleteChannel', { name: DELETED });
    const measured = await measureInTurns(
      pairs,
      () => measure(server, load, { connections, slice, channel: NOT_OPEN }),
      () => measure(server, load, { connections, slice, channel: DELETED }),
    );
    console.log(`waiting: ${connections} connections that subscribe again and again, ${slice} ms per round`);
    printQuantity(measured, 'refused', {
      name: 'server CPU per subscribe, µs',
      of: sample => sample.cpuUs / sample.answered,
      digits: 1,
      wanted: '≤ 1',
    });
    console.log(`  last replies: ${measured.at(-1)?.engine.last} and ${measured.at(-1)?.baseline.last}`);
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
}

async function measure(
  server: RpcServer,
  load: PinnedProcess,
  { connections, slice, channel }: { connections: number; slice: number; channel: string },
): Promise<Sample> {
  const connecting: RepeatingQuestion<WaitingTarget> = {
    kind: 'connect',
    port: server.port,
    connections,
    channel,
  };
  await load.ask(connecting);
  const before = server.cpuUs();
  const result = await load.ask<RepeatingRun>({
    kind: 'run',
    ms: slice,
  } satisfies RepeatingQuestion<WaitingTarget>);
  const cpuUs = server.cpuUs() - before;
  await load.ask({ kind: 'disconnect' } satisfies RepeatingQuestion<WaitingTarget>);
  return { ...result, cpuUs };
}
