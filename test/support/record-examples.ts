// npm run docs:examples: records what a real service answers to every method, as examples of the OpenAPI document.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { exchangeAll } from './openapi-exchange.ts';

const FILE = 'packages/server/src/http/openapi/examples.ts';

/** Tokens and keys are cut: an example shows their form. */
const shown = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^(eyJ\w{9}|msgk_\w{8}_).*$/s, '$1…') : value;

const examples = (await exchangeAll()).map(({ name, request, answer }) => [name, { request, answer }]);
const text = JSON.stringify(Object.fromEntries(examples), shown, 2);
writeFileSync(
  FILE,
  `import type { OpenApiExample } from '@msg/core/internal';

/** Recorded by \`npm run docs:examples\`; do not edit. By method of the RPC, or command of the HTTP API. */
export const EXAMPLES: Readonly<Record<string, OpenApiExample>> = ${text};
`,
);
spawnSync('biome', ['check', '--write', FILE], { stdio: 'inherit' });
