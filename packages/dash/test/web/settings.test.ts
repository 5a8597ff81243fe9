import { describe, expect, it } from 'vitest';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { settingsOf, settle, windowOf } from '#src/web/settings.ts';
import { teamPulse } from '../changeset/team-pulse.ts';

const engine = openDocumentEngine();
const now = Date.parse('2026-11-22T14:30:00.700Z');

describe('what the address says', () => {
  it('is overrides, and under $ what the page itself is told', () => {
    const said = settingsOf(
      new URLSearchParams('team=core&$theme.tone=accent&$time=6h&$other=1&theme=dark&render=all'),
    );
    expect(said.overrides.map(({ address }) => address)).toEqual(['team', '$theme.tone', 'theme', 'render']);
    expect(said).toMatchObject({ time: '6h', scheme: 'dark', renderAll: true });
  });

  it.each([
    ['6h', '2026-11-22T08:30:00.000Z', '2026-11-22T14:30:00.000Z'],
    ['90m', '2026-11-22T13:00:00.000Z', '2026-11-22T14:30:00.000Z'],
    ['7d', '2026-11-15T14:30:00.000Z', '2026-11-22T14:30:00.000Z'],
    ['2026-01-01/2026-01-02', '2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
  ])('$time=%s is from %s to %s', (time, from, to) =>
    expect(windowOf(time, now)).toEqual({ from: Date.parse(from), to: Date.parse(to) }),
  );

  it.each(['', '6', '6w', '99999h', '0s', '2026-01-02/2026-01-01', 'x/y', '1900-01-01/2026-01-01'])(
    '$time=%s is not a span',
    time => expect(windowOf(time, now)).toBe(undefined),
  );
});

describe('a wrong setting', () => {
  const settled = (query: string) =>
    settle(engine, teamPulse(), settingsOf(new URLSearchParams(query)).overrides);

  it('is left out, and the others count', () => {
    const { tree, errors } = settled('team=ops&weeks=2&scores.rows=[]&weeks=abc&scores.title=Pinned');
    expect([...errors].map(([address, { code }]) => [address, code])).toEqual([
      ['team', 'VAR_OPTIONS_INVALID'],
      ['weeks', 'VAR_TYPE'],
      ['scores.rows', 'CONFIG_OVERRIDE_FIELD_UNKNOWN'],
    ]);
    expect(JSON.stringify(tree.root)).toContain('"title":"Pinned"');
    expect(tree.root.varEnv?.['team']?.value).toBe('web');
  });

  it('does not hide that the document itself is wrong', () => {
    const broken = { ...teamPulse(), root: { id: 'page', type: 'no-such-type' } };
    expect(() => settle(engine, broken, [{ address: 'team', text: 'ops' }])).toThrow('no-such-type');
  });
});

describe('an empty value of a form', () => {
  it('sets nothing where it does not fit', () => {
    const overrides = settingsOf(new URLSearchParams('weeks=&team=core&$theme.tone=')).overrides;
    const { tree, errors } = settle(engine, teamPulse(), overrides);
    expect([...errors]).toEqual([]);
    expect(tree.root.varEnv?.['team']?.value).toBe('core');
  });
});
