import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { nodeOf, resolveWith } from './team-pulse.ts';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));
const resolved = (name: string) => resolveWith(JSON.parse(readFileSync(`${FOLDER}${name}.json`, 'utf8')));

it.each(readdirSync(FOLDER).map(file => file.replace('.json', '')))(
  'the example %s resolves and carries its name',
  name => {
    expect(resolved(name).manifest.id).toBe(name);
  },
);

it('the examples show what they are for', () => {
  expect(nodeOf(resolved('first-steps'), 'hello').config?.['text']).toBe('Hello, reader');
  expect(nodeOf(resolved('capacity-calculator'), 'need').config?.['value']).toBe(3);
  expect(nodeOf(resolved('capacity-calculator'), 'inputs').flow?.columns).toBe(2);
  expect(nodeOf(resolved('ops-wallboard'), 'body').layout?.columns).toEqual([0.25, 0.75]);
  expect(nodeOf(resolved('editor-demo'), 'look').generated?.widgets).toHaveLength(6);
  expect(resolved('data-sources').connections?.[1]?.missingSecrets).toEqual(['METRICS_TOKEN']);
});
