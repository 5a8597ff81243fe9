import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';

const LOAD = new URL('./load/client.ts', import.meta.url);
const SUBSCRIBING = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;

/**
 * Server CPU of one connection that connects and subscribes to a public channel of a `msg serve` with default settings,
 * microseconds; a half as many come before, until the code is compiled.
 */
export async function connectToService(
  connections: number,
  concurrency: number,
  program?: string,
): Promise<number> {
  const { server } = await startMsgRpc([], program === undefined ? {} : { program });
  const load = await PinnedProcess.start(LOAD, LOAD_CORE);
  const open = (count: number) =>
    load.ask({
      kind: 'open',
      port: server.port,
      count,
      subscribing: SUBSCRIBING,
      concurrency,
      stamped: false,
    });
  try {
    await open(connections / 2);
    const before = server.cpuUs();
    await open(connections);
    return (server.cpuUs() - before) / connections;
  } finally {
    await load.stop();
    await server.stop();
  }
}
