import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import type { DataSourceKind } from '#src/data/source.ts';
import { DataSources } from '#src/data/sources.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { everyState } from '../web/every-state.ts';
import { ScriptedSource, scriptedSchemas } from '../web/scripted.ts';

const engine = openDocumentEngine(scriptedSchemas());
const tree = engine.resolve(everyState());

function opened() {
  const source = new ScriptedSource();
  const clock = new ManualClock();
  const kinds = [source.kind] as DataSourceKind[];
  const sources = new DataSources({ kinds, clock, rowsError: engine.rowsError });
  return { source, clock, sources };
}

describe('the rows of items', () => {
  it('are asked for once for each query, however many items and pages want them', async () => {
    const { source, sources } = opened();
    const both = [sources.ask(tree), sources.ask(tree)];
    await Promise.all(
      both.flatMap(answers => [...answers].map(([id, { later }]) => id.endsWith('waits') || later)),
    );
    // Refusals that came at once are asked again by each item; rows, none, a bug and the one that waits are shared.
    const [table, chart] = await Promise.all([
      both[0]?.get('table-rows')?.later,
      both[1]?.get('chart-rows')?.later,
    ]);
    expect(table).toMatchObject({ state: 'ready' });
    expect(table && 'data' in table && table.data).toBe(chart && 'data' in chart && chart.data);
    expect(source.asked).toBeLessThan(40);
  });

  it('have a state each', async () => {
    const { source, sources, clock } = opened();
    await Promise.all(
      [...sources.ask(tree, { only: new Set(['table-stale']) }).values()].map(({ later }) => later),
    );
    source.failing.add('stale');
    const answers = sources.ask(tree);
    const stateOf = async (name: string) => {
      const answer = answers.get(`table-${name}`);
      return (await answer?.later) ?? answer?.now;
    };
    expect(await stateOf('rows')).toMatchObject({ state: 'ready', data: { rows: { length: 3 } } });
    expect(await stateOf('empty')).toMatchObject({ state: 'empty' });
    expect(await stateOf('fails')).toMatchObject({ state: 'error', error: { code: 'QUERY_FAILED' } });
    expect(await stateOf('breaks')).toMatchObject({ state: 'error', error: { code: 'QUERY_FAILED' } });
    expect(await stateOf('secret')).toMatchObject({ state: 'error', error: { code: 'SECRET_MISSING' } });
    expect(await stateOf('other')).toEqual({ state: 'not-asked', connectionType: 'http' });
    expect(await stateOf('stale')).toMatchObject({ state: 'stale', error: { code: 'QUERY_TIMEOUT' } });
    expect(answers.get('table-waits')?.now).toEqual({ state: 'loading', connectionId: 'waits' });
    clock.advance(10_000);
    expect(await stateOf('waits')).toMatchObject({ state: 'error', error: { code: 'QUERY_TIMEOUT' } });
  });
});
