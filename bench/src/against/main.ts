// npm run bench -- against <git ref> <name | all> [--pairs <n>] [--slice <ms>] [--only <part of a name>]
import { parseArgs } from 'node:util';
import { checkOut, type Tree } from './tree.ts';

/** How much is measured. */
export interface Extent {
  readonly pairs: number;
  /** Milliseconds of a measured round, where it is not a fixed amount of work. */
  readonly sliceMs: number;
  /** Takes the parts whose name holds this. */
  readonly only: string;
}

/** Compares two checkouts and prints a line per cost. */
export type Comparison = (now: Tree, before: Tree, extent: Extent) => Promise<void>;

const COMPARISONS: Readonly<Record<string, () => Promise<Comparison>>> = {
  fanout: async () => (await import('./served.ts')).fanout,
  memory: async () => (await import('./served.ts')).memory,
  connect: async () => (await import('./served.ts')).connect,
  latency: async () => (await import('./served.ts')).latency,
  rpc: async () => (await import('./served.ts')).rpc,
  storm: async () => (await import('./served.ts')).storm,
  publish: async () => (await import('./served.ts')).publish,
  tokens: async () => (await import('./subjects.ts')).subject('tokens'),
  redis: async () => (await import('./subjects.ts')).subject('redis', { redis: true }),
  codec: async () => (await import('./subjects.ts')).subject('codec'),
  dash: async () => (await import('./subjects.ts')).subject('dash'),
  'dash-store': async () => (await import('./dash-store.ts')).dashStore,
};

const ROOT = new URL('../../..', import.meta.url).pathname.replace(/\/$/, '');

/** Runs the programs of the working tree and those of a commit in turns. */
export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      pairs: { type: 'string', default: '5' },
      slice: { type: 'string', default: '1000' },
      only: { type: 'string', default: '' },
    },
  });
  const [ref, name = ''] = positionals;
  const names = name === 'all' ? Object.keys(COMPARISONS) : [name];
  if (ref === undefined || names.some(comparison => COMPARISONS[comparison] === undefined)) {
    throw new Error(`usage: npm run bench -- against <git ref> <${Object.keys(COMPARISONS).join('|')}|all>`);
  }
  const now: Tree = { root: ROOT, name: 'working tree' };
  const before = checkOut(ROOT, ref);
  const extent = { pairs: Number(values.pairs), sliceMs: Number(values.slice), only: values.only };
  for (const comparison of names) {
    console.log(`${comparison}: the working tree against ${before.name}`);
    await (await (COMPARISONS[comparison] as () => Promise<Comparison>)())(now, before, extent);
  }
}
