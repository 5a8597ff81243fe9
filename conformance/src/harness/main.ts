// The server of one suite: `main.ts <profile> [--cluster | --redis <address> | --threads <n> | --free-port]`. Runs until
// it is told to end. With `--redis` it is one node of a cluster, on a free port.
import { parseArgs } from 'node:util';
import { ClusterHarness } from './cluster.ts';
import { PROFILES, type ProfileName } from './profiles.ts';
import { Harness, PORT } from './server.ts';
import { ThreadsHarness } from './threads.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    cluster: { type: 'boolean', default: false },
    redis: { type: 'string' },
    threads: { type: 'string' },
    'free-port': { type: 'boolean', default: false },
  },
});
const profile = PROFILES.find(name => name === positionals[0]);
if (profile === undefined) {
  console.error(
    `usage: main.ts ${PROFILES.join('|')} [--cluster | --redis <address> | --threads <n> | --free-port]`,
  );
  process.exit(2);
}
const { redis, threads } = values;
const options = {
  ...(values['free-port'] || redis !== undefined ? { port: 0 } : {}),
  ...(redis === undefined ? {} : { redis }),
};
const harness = await start(profile);
console.log(`listening ${harness instanceof Harness ? harness.port : PORT}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void harness.stop().then(() => process.exit(0)));
}

async function start(name: ProfileName): Promise<Harness | ClusterHarness | ThreadsHarness> {
  if (threads !== undefined) return await ThreadsHarness.start(name, Number(threads));
  return values.cluster ? await ClusterHarness.start(name) : await Harness.start(name, options);
}
