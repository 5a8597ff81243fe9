// The server of one suite: `main.ts <profile>`. Runs until it is told to end.
import { PROFILES } from './profiles.ts';
import { Harness } from './server.ts';

const wanted = process.argv[2];
const profile = PROFILES.find(name => name === wanted);
if (profile === undefined) {
  console.error(`usage: main.ts ${PROFILES.join('|')}`);
  process.exit(2);
}
const harness = await Harness.start(profile);
console.log('listening');
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void harness.stop().then(() => process.exit(0)));
}
