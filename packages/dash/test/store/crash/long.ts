// npm run dash:crash [-- <seconds> <seed>]: the siege of both stores for a minute each, with 20 writers.
import { besiege } from './siege.ts';

const [seconds = '60', seed = String(process.pid)] = process.argv.slice(2);
for (const kind of ['fs', 'git'] as const) {
  const plan = { kind, writers: 20, kills: 20, leastMs: Number(seconds) * 1_000, seed: Number(seed) };
  const { kills, acknowledged, faults } = await besiege(plan);
  console.log(
    `${kind}: seed ${seed}, ${kills} kills, ${acknowledged} acknowledged commits, ${faults.length} faults`,
  );
  for (const fault of faults) console.error(`  ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
}
