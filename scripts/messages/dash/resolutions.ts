import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DashCode, documentEngine, getSchema, loadCatalog } from '@msg/dash';
import { DataSources, layOutFlow } from '@msg/dash/internal';
import { ManualClock } from '@msg/foundation/clock/testing';
import { teamPulse } from '../../../packages/dash/test/resolve/team-pulse.ts';
import type { Provocations } from '../provocation.ts';
import { engine } from './stores.ts';

/** The state of the bound item of the team's document with this source of data. */
async function asked(ask: () => Promise<never>): Promise<void> {
  const clock = new ManualClock();
  const document = teamPulse();
  document.connections[0] = { id: 'pulse', type: 'static', config: { rows: [] } };
  const kind = { type: 'static', atHand: false, timed: false, open: () => ({ ask }) };
  const [answer] = new DataSources({ kinds: [kind], clock, rowsError: engine.rowsError })
    .ask(engine.resolve(document))
    .values();
  for (let second = 0; second < 120; second++) await clock.advance(1000);
  const data = answer !== undefined && 'later' in answer ? await answer.later : undefined;
  if (data?.state === 'error') throw data.error;
}

/** Calls of the catalogue, the resolver and data sources that need more than a document. */
export function resolveCalls(root: string): Provocations<DashCode> {
  const types = async (name: string, members: object): Promise<void> => {
    const dir = join(root, 'types');
    await rm(dir, { recursive: true, force: true });
    await mkdir(join(dir, 'items'), { recursive: true });
    const schema = { $id: `https://types.example/items/${name}/1.0.0`, type: 'object', ...members };
    await writeFile(join(dir, 'items', `${name}.schema.json`), JSON.stringify(schema));
    const catalog = loadCatalog({ dir });
    const document = teamPulse();
    document.root.children[1].children[0].config.content = {
      id: name,
      type: name,
      config: { connectionId: 'pulse' },
    };
    documentEngine(catalog, { environment: {} }).resolve(document);
  };
  return {
    SCHEMA_NOT_FOUND: [{ when: 'a misspelled type', call: () => getSchema(engine.catalog, 'tabel') }],
    SCHEMA_INVALID: [
      { when: 'a schema file with an unknown JSON type', call: () => types('dial', { type: 'nonsense' }) },
    ],
    SCHEMA_BEHAVIOR_INVALID: [
      {
        when: 'a region without a child policy',
        call: () => types('dial', { behavior: { role: 'region' } }),
      },
    ],
    SCHEMA_IO: [
      { when: 'a schema directory that does not exist', call: () => loadCatalog({ dir: 'missing' }) },
    ],
    CONFIGURABLE_SURFACE_INVALID: [
      {
        when: 'a surface with a property that the schema does not declare',
        call: () => types('dial', { configurable: { ghost: { type: 'string' } } }),
      },
    ],
    CONTRACT_INVALID: [
      {
        when: 'an expected result with an unknown JSON type',
        call: () => types('dial', { expectedResult: { type: 'nonsense' } }),
      },
    ],
    CONTRACT_MISSING: [
      { when: 'a binding on a type without an expected result', call: () => types('dial', {}) },
    ],
    LAYOUT_FORM_COLUMNS_INVALID: [
      { when: 'a flow of 13 columns', call: () => layOutFlow(13, 2, 'root.children[0]', 'form') },
    ],
    VAR_OVERRIDE_INVALID: [
      {
        when: 'an override without a field',
        call: () => engine.resolve(teamPulse(), { overrides: [{ address: 'scores.', text: 'x' }] }),
      },
    ],
    CONFIG_OVERRIDE_FIELD_UNKNOWN: [
      {
        when: 'an override of a field that is not on the surface',
        call: () => engine.resolve(teamPulse(), { overrides: [{ address: 'scores.ghost', text: 'x' }] }),
      },
    ],
    CONFIG_OVERRIDE_VALUE_INVALID: [
      {
        when: 'an override with a value outside an enum',
        call: () => engine.resolve(teamPulse(), { overrides: [{ address: '$theme.tone', text: 'loud' }] }),
      },
    ],
    QUERY_FAILED: [
      {
        when: 'a source that fails without a code',
        call: () => asked(() => Promise.reject(new Error('reset'))),
      },
    ],
    QUERY_TIMEOUT: [
      { when: 'a source that does not answer', call: () => asked(() => new Promise(() => {})) },
    ],
  };
}
