import { TWIRP_PREFIX } from '@msg/core/internal';
import { systemClock, systemRandom } from '@msg/engine';
import { ApiKeys, generateKeyText } from '@msg/server/internal';
import { RawClient } from '@msg/testkit';
import { measureInTurns, numericOptions } from './comparison.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { printQuantity } from './report.ts';
import { RPC_LOAD, requestFor } from './rpc.ts';
import type { RpcServer } from './rpc-server.ts';
import { CHANNELS, ITEMS, startMsgApi } from './servers/msg-api.ts';
import { payloads } from './servers/payloads.ts';
import { managementRead } from './subjects/tokens.ts';

const DEFAULTS = { pairs: 5, connections: 16, slice: 1000 };
const MAX_BODY = 4_194_304;
/** Checks between two looks at the clock, and CPU of one round, microseconds. */
const CHECKS = 1024;
const CHECK_ROUND_US = 200_000;

/** A request that publishes so many items. */
interface Row {
  readonly name: string;
  readonly path: string;
  readonly body: string;
  readonly items: number;
  readonly wanted: string;
}

/**
 * Publications through the HTTP API, and those of RPC requests that carry many, against the Publish RPC of the same
 * server, per item; then the check of a key beside that of a cached management token, and the memory of a large batch.
 */
export async function run(args: string[]): Promise<void> {
  const { pairs, connections, slice } = numericOptions(args, DEFAULTS);
  const { server, key, stop } = await startMsgApi();
  const loads = [
    await PinnedProcess.start(RPC_LOAD, LOAD_CORE),
    await PinnedProcess.start(RPC_LOAD, LOAD_CORE),
  ] as const;
  try {
    const data = payloads('plain')[0]?.toString() ?? '{}';
    const [channel = ''] = CHANNELS;
    const baseline = requestOf(key, `${TWIRP_PREFIX}Publish`, `{"name":"${channel}","json":${data}}`);
    for (const subscribers of [0, 1]) {
      console.log(`api: 256 bytes, history on, ${subscribers} subscribers, ${slice} ms per round`);
      for (const row of rows(data)) {
        const close = await subscribe(server, subscribers);
        const measured = await measureInTurns(
          pairs,
          () => measure(server, loads[0], requestOf(key, row.path, row.body), row.items),
          () => measure(server, loads[1], baseline, 1),
        );
        close();
        printQuantity(measured, 'Publish of the RPC', {
          name: `${row.name}, server CPU per item, µs`,
          of: sample => sample.cpuUs / sample.items,
          digits: 1,
          wanted: row.wanted,
        });
      }
    }
    await printMemory(server, key, data);
  } finally {
    await Promise.all([...loads.map(load => load.stop()), stop()]);
  }
  await printChecks(pairs);

  function measure(subject: RpcServer, load: PinnedProcess, request: Buffer, items: number) {
    const connecting = {
      kind: 'connect',
      port: subject.port,
      connections,
      request: request.toString('base64'),
    } as const;
    return requestFor(slice, subject, load, connecting).then(({ cpuUs, answered }) => ({
      cpuUs,
      items: answered * items,
    }));
  }
}

function rows(data: string): readonly Row[] {
  const [channel = ''] = CHANNELS;
  const names = JSON.stringify(CHANNELS);
  const many = (item: string): string => Array.from({ length: ITEMS }, () => item).join(',');
  const MANY = { items: ITEMS, wanted: '≤ 0.2' };
  return [
    {
      name: 'API publish',
      path: '/api/publish',
      body: `{"channel":"${channel}","data":${data}}`,
      items: 1,
      wanted: '≤ 1.1',
    },
    {
      name: `API batch of ${ITEMS}`,
      path: '/api/batch',
      body: `{"commands":[${many(`{"publish":{"channel":"${channel}","data":${data}}}`)}]}`,
      ...MANY,
    },
    {
      name: `API broadcast to ${ITEMS}`,
      path: '/api/broadcast',
      body: `{"channels":${names},"data":${data}}`,
      ...MANY,
    },
    {
      name: `PublishMany of ${ITEMS}`,
      path: `${TWIRP_PREFIX}PublishMany`,
      body: `{"items":[${many(`{"name":"${channel}","json":${data}}`)}]}`,
      ...MANY,
    },
    {
      name: `Broadcast to ${ITEMS}`,
      path: `${TWIRP_PREFIX}Broadcast`,
      body: `{"names":${names},"json":${data}}`,
      ...MANY,
    },
  ];
}

function requestOf(key: string, path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `X-API-Key: ${key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** So many subscribers of the first channel; answers what ends them. */
async function subscribe(server: RpcServer, count: number): Promise<() => void> {
  const clients: RawClient[] = [];
  for (let index = 0; index < count; index++) {
    const client = await RawClient.connected(`ws://127.0.0.1:${server.port}/connection/websocket`);
    await client.request({ subscribe: { channel: CHANNELS[0] ?? '' } });
    clients.push(client);
  }
  return () => {
    for (const { websocket } of clients) websocket.terminate();
  };
}

/** The most memory that the server needs beyond what it had, while it handles a batch of 4 MiB. */
async function printMemory(server: RpcServer, key: string, data: string): Promise<void> {
  const value = JSON.stringify({ pad: 'x'.repeat(4000), data });
  const item = `{"publish":{"channel":"${CHANNELS[0]}","data":${value}}}`;
  const count = Math.min(1000, Math.floor((MAX_BODY - 32) / (item.length + 1)));
  const body = `{"commands":[${Array.from({ length: count }, () => item).join(',')}]}`;
  const before = server.watchPeak();
  const response = await fetch(`http://127.0.0.1:${server.port}/api/batch`, {
    method: 'POST',
    headers: { 'x-api-key': key },
    body,
  });
  await response.text();
  if (response.status !== 200) throw new Error(`the batch was answered with ${response.status}`);
  const grown = server.peakBytes() - before;
  console.log(
    `  memory of a batch of ${count} items in ${body.length} bytes: ${grown} bytes more, ratio ${(grown / body.length).toFixed(2)} of the body, wanted ≤ 6`,
  );
}

/** One check of a key beside that of a management token that the verifier remembers. */
async function printChecks(pairs: number): Promise<void> {
  const { text } = generateKeyText(systemRandom);
  const logger = { info() {}, warn() {}, error() {} };
  const keys = await ApiKeys.open({ declared: [{ name: 'bench', key: text }], clock: systemClock, logger });
  const readToken = await managementRead();
  const measured = await measureInTurns(
    pairs,
    async () => cpuPerCheck(() => keys.check(text)),
    async () => cpuPerCheck(readToken),
  );
  printQuantity(measured, 'cached management token', {
    name: 'check of a key, µs CPU',
    of: us => us,
    digits: 2,
  });
}

function cpuPerCheck(check: () => unknown): number {
  const before = process.cpuUsage();
  for (let checks = 0; ; ) {
    for (let index = 0; index < CHECKS; index++) check();
    checks += CHECKS;
    const { user, system } = process.cpuUsage(before);
    if (user + system >= CHECK_ROUND_US) return (user + system) / checks;
  }
}
