// npm run bench -- <name> [options]; `npm run bench` lists the names.
const BENCHES: Readonly<Record<string, () => Promise<{ run(args: string[]): Promise<void> }>>> = {
  fanout: () => import('./fanout/fanout.ts'),
  codec: () => import('./codec.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) {
  console.error(`usage: npm run bench -- <${Object.keys(BENCHES).join('|')}> [options]`);
  process.exitCode = 1;
} else await (await load()).run(args);
