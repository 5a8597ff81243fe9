// npm run bench -- <name> [options]; `npm run bench` lists the names.
import { printMachine } from './report.ts';

/** A bench; `note` is what it says about the machine on the first line. */
interface Bench {
  run(args: string[]): Promise<void>;
  note?(args: string[]): string;
}

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  fanout: () => import('./fanout.ts'),
  memory: () => import('./memory.ts'),
  connect: () => import('./connect.ts'),
  latency: () => import('./latency.ts'),
  codec: () => import('./codec.ts'),
  rpc: () => import('./rpc.ts'),
  api: () => import('./api.ts'),
  tokens: () => import('./tokens.ts'),
  webpush: () => import('./webpush.ts'),
  outbox: () => import('./outbox.ts'),
  redis: () => import('./redis.ts'),
  waiting: () => import('./waiting.ts'),
  storm: () => import('./storm.ts'),
  cores: () => import('./cores.ts'),
  rolling: () => import('./rolling.ts'),
  peers: () => import('./peers.ts'),
  settings: () => import('./settings.ts'),
  dash: () => import('./dash.ts'),
  figures: () => import('./figures.ts'),
  append: () => import('./append.ts'),
  console: () => import('./console.ts'),
  'console-scale': () => import('./console-scale.ts'),
  agent: () => import('../agent/main.ts'),
  'dash-data': () => import('./dash-data.ts'),
  'dash-page': () => import('./dash-page.ts'),
  friendliness: () => import('../friendliness/main.ts'),
  against: () => import('./against/main.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- <${Object.keys(BENCHES).join('|')}> [options]`);
  process.exitCode = 1;
} else {
  const bench = await load();
  printMachine(bench.note?.(args));
  await bench.run(args);
}
