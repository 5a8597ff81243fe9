import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import type { DataSourceKind } from '#src/data/contract.ts';
import { DataSources } from '#src/data/sources.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { everyState } from '../web/every-state.ts';
import { ScriptedSource, scriptedSchemas } from '../web/scripted.ts';

const tree = openDocumentEngine(scriptedSchemas()).resolve(everyState());

function opened() {
  const source = new ScriptedSource();
  const clock = new ManualClock();
  const sources = new DataSources({ kinds: [source.kind] as DataSourceKind[], clock });
  return { source, clock, sources };
}

describe('the rows of items', () => {
  it('are asked for once for each query, however many items and pages want them', async () => {
    const { source, sources } = opened();
    const both = [sources.ask(tree, undefined), sources.ask(tree, undefined)];
    await Promise.all(
      both.flatMap(answers => [...answers].map(([id, { later }]) => id.endsWith('waits') || later)),
    );
    // Refusals that came at once are asked again by each item; rows, none, a bug and the one that waits are shared.
    const shared = both[0]?.get('table-rows')?.later;
    expect(shared).toBe(both[1]?.get('chart-rows')?.later);
    expect(source.asked).toBeLessThan(40);
  });

  it('have a state each', async () => {
    const { source, sources, clock } = opened();
    await Promise.all(
      [...sources.ask(tree, undefined, new Set(['table-stale'])).values()].map(({ later }) => later),
    );
    source.failing.add('stale');
    const answers = sources.ask(tree, undefined);
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
