import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ClientNames } from '#src/session/client-names.ts';
import { ConnectionState } from '#src/session/connection-state.ts';

const CONNECTIONS = 100_000;
/** What operators see of a connection may take 24 bytes (console 7.2); two members of it take 16. */
const MOST_BYTES = 24 - 16;
/** Part of a byte: what else the process did meanwhile. */
const NOISE_BYTES = 1;
const DAY_MS = 86_400_000;

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let pass = 0; pass < 3; pass++) collect();
  return process.memoryUsage().heapUsed;
}

/** Bytes that each of many connections takes. */
function bytesEach(connect: (n: number) => ConnectionState): number {
  const before = heapUsed();
  const connections = Array.from({ length: CONNECTIONS }, (_, n) => connect(n));
  const bytes = (heapUsed() - before) / CONNECTIONS;
  expect(connections).toHaveLength(CONNECTIONS);
  return bytes;
}

it('the time of a connect and the name of its program add at most eight bytes, whatever clients call themselves', () => {
  const names = new ClientNames();
  const open = (n: number): ConnectionState => new ConnectionState(`connection-${n}`);
  const connected = (n: number): ConnectionState => {
    const connection = open(n);
    connection.begin(false, names.of(`program-${n}`, `${n}.0`));
    connection.connected(30 * DAY_MS + n * 977.5);
    return connection;
  };
  for (const warmUp of [open, connected]) bytesEach(warmUp);
  const [without, used] = [bytesEach(open), bytesEach(connected)];
  console.log(
    `bytes of the state of a connection: ${without.toFixed(1)}, with time and name ${used.toFixed(1)}`,
  );
  expect(used - without).toBeLessThanOrEqual(MOST_BYTES + NOISE_BYTES);
});
