import { measureInTurns, numericOptions } from './comparison.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import type { RepeatingQuestion, RepeatingRun } from './repeating.ts';
import { printQuantity } from './report.ts';
import { rpcRequest } from './rpc-request.ts';
import { RpcServer } from './rpc-server.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';
import { payloads } from './servers/payloads.ts';

const DEFAULTS = { pairs: 9, connections: 16, slice: 2000 };
export const RPC_LOAD = new URL('./rpc-load.ts', import.meta.url);
const ECHO = new URL('./servers/echo.ts', import.meta.url);

/** What each connection of the load sends: a request, base64. */
export interface RpcTarget {
  readonly request: string;
}

interface Sample extends RepeatingRun {
  readonly cpuUs: number;
}

/**
 * The Publish RPC of a spawned `msg serve` against a bare `node:http` server that reads and parses the same request
 * and answers a JSON document of the same size.
 */
export async function run(args: string[]): Promise<void> {
  const { pairs, connections, slice } = numericOptions(args, DEFAULTS);
  const [{ server: msg, token }, echo] = await Promise.all([
    startMsgRpc([]),
    RpcServer.start([...process.execArgv, ECHO.pathname]),
  ]);
  const loads = [
    await PinnedProcess.start(RPC_LOAD, LOAD_CORE),
    await PinnedProcess.start(RPC_LOAD, LOAD_CORE),
  ] as const;
  try {
    const request = publishRequest(token).toString('base64');
    const measure = (server: RpcServer, load: PinnedProcess) =>
      requestFor(slice, server, load, { kind: 'connect', port: server.port, connections, request });
    const measured = await measureInTurns(
      pairs,
      () => measure(msg, loads[0]),
      () => measure(echo, loads[1]),
    );
    console.log(`rpc: Publish of 256 bytes, ${connections} connections, ${slice} ms per round`);
    printQuantity(measured, 'echo', {
      name: 'requests per second of server CPU',
      of: sample => (sample.answered / sample.cpuUs) * 1e6,
      digits: 0,
      wanted: '≥ 0.6',
    });
    printQuantity(measured, 'echo', {
      name: 'server CPU per request, µs',
      of: sample => sample.cpuUs / sample.answered,
      digits: 1,
    });
    printQuantity(measured, 'echo', {
      name: 'requests per second',
      of: sample => (sample.answered / sample.wallMs) * 1000,
      digits: 0,
    });
    console.log(`  last answers: ${measured.at(-1)?.engine.last} and ${measured.at(-1)?.baseline.last}`);
  } finally {
    await Promise.all([...loads.map(load => load.stop()), msg.stop(), echo.stop()]);
  }
}

/** Connects, unmeasured, and requests; connections are new each time, because servers close idle ones. */
export async function requestFor(
  ms: number,
  server: RpcServer,
  load: PinnedProcess,
  connecting: Extract<RepeatingQuestion<RpcTarget>, { kind: 'connect' }>,
  pace: { readonly perSecond?: number } = {},
): Promise<Sample> {
  await load.ask(connecting);
  const before = server.cpuUs();
  const result = await load.ask<RepeatingRun>({
    kind: 'run',
    ms,
    ...pace,
  } satisfies RepeatingQuestion<RpcTarget>);
  const cpuUs = server.cpuUs() - before;
  await load.ask({ kind: 'disconnect' } satisfies RepeatingQuestion<RpcTarget>);
  return { ...result, cpuUs };
}

/** What a client sends; both servers get the same bytes. */
export function publishRequest(token: string): Buffer {
  const data = payloads('plain')[0]?.toString('base64');
  return rpcRequest('Publish', token, { name: CHANNEL, data, tags: {}, idempotency_key: '' });
}
