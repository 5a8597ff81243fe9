// npm run docs:examples: records what a real service answers to every method, as examples of the OpenAPI document.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { exchangeAll } from './openapi-exchange.ts';

const FILE = 'packages/server/src/http/openapi/examples.json';

/** Tokens and keys are cut: an example shows their form. */
const shown = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^(eyJ\w{9}|msgk_\w{8}_).*$/s, '$1…') : value;

/** Long lists are cut, too. */
const MOST_ITEMS = 20;
const SHOWN_ITEMS = 3;
const short = (_: string, value: unknown): unknown =>
  Array.isArray(value) && value.length > MOST_ITEMS ? value.slice(0, SHOWN_ITEMS) : shown(_, value);

const examples = (await exchangeAll()).map(({ name, request, answer }) => [name, { request, answer }]);
writeFileSync(FILE, JSON.stringify(Object.fromEntries(examples), short, 2));
spawnSync('biome', ['check', '--write', FILE], { stdio: 'inherit' });
