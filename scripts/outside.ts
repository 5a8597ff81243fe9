// npm run outside [-- --write | --check]: everything users hold on to, as one sorted JSON. `--write` puts it into
// api/outside.json, `--check` fails when it differs from that file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { collect } from './outside/collect.ts';
import { differences } from './outside/differences.ts';

const FILE = 'api/outside.json';

const { values } = parseArgs({ options: { write: { type: 'boolean' }, check: { type: 'boolean' } } });
const found = await collect('.');
const text = `${JSON.stringify(found, null, 2)}\n`;
if (values.write) {
  mkdirSync('api', { recursive: true });
  writeFileSync(FILE, text);
} else if (values.check) {
  const lines = differences(JSON.parse(readFileSync(FILE, 'utf8')), found);
  for (const line of lines) console.error(line);
  console.log(
    lines.length === 0 ? `outside: as ${FILE} says` : `outside: ${lines.length} differ from ${FILE}`,
  );
  if (lines.length > 0)
    console.error('Run `npm run outside -- --write` and commit the file when this is meant.');
  process.exitCode = lines.length === 0 ? 0 : 1;
} else process.stdout.write(text);
process.exit();
