import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALERT_HINTS, docOf, HintsSeen, OWN_HINTS } from '#src/nodes/hints.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const PAGE = readFileSync(join(ROOT, 'docs/monitoring.md'), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook_url: string };
}

const { groups } = parse(readFileSync(join(ROOT, 'ops/prometheus/alerts.yaml'), 'utf8')) as {
  readonly groups: readonly [{ readonly rules: readonly Alert[] }];
};
const ALERTS = new Map(groups[0].rules.map(rule => [rule.alert, rule]));

/** Alerts that the last minute of one node cannot tell. */
const NOT_OF_ONE_NODE = {
  MsgNodeDown: 'a node that is down answers nothing; the others name it in missing_nodes',
  MsgStoreSlow: 'a percentile of five minutes',
  MsgDeadLetters: 'a queue of all nodes, over 15 minutes; the list of dead letters shows it',
  MsgSinkSlow: 'a percentile of ten minutes',
  MsgTokensRefused: 'shares by type of token, over ten minutes',
  MsgOutboxBehind: 'one database, which every node counts',
  MsgOutboxDeadRows: 'one database, which every node counts',
  MsgOutboxDatabaseAway: 'delivery works; /readyz of the node tells it',
  MsgOutboxForeignVersions: 'a count of fifteen minutes, over all nodes',
  MsgAppendOrphans: 'a share of half an hour, over all nodes',
  MsgThreadRestarting: 'a count of fifteen minutes; main alone knows its threads',
  MsgThreadsUneven: 'a comparison of threads, which are one node in the list',
  MsgThreadDropping: 'a count of ten minutes, by main for the thread that does not read',
  MsgMainBusy: 'processor time of five minutes; MsgEventLoopBusy of main tells its lag',
  MsgAppendMirrorDrops: 'a count of fifteen minutes; a failover alone drops many in one',
};

/** The number behind the last comparison of an expression; equality with 0 is a count above 0. */
function thresholdOf(expr: string): number {
  if (/ == 0\b/.test(expr)) return 0;
  const [, factors = ''] = /> ([\d.]+(?: \* [\d.]+)*)\s*$/.exec(expr) ?? [];
  return factors.split(' * ').reduce((product, factor) => product * Number(factor), 1);
}

describe('hints', () => {
  it('are those alerts that one node can judge', () => {
    const names = [...ALERT_HINTS.map(({ name }) => name), ...Object.keys(NOT_OF_ONE_NODE)];
    expect(names.toSorted()).toEqual([...ALERTS.keys()].toSorted());
  });

  it.each(ALERT_HINTS.map(rule => [rule.name, rule] as const))(
    '%s has the severity and the threshold of its alert',
    (name, { severity, threshold }) => {
      const alert = ALERTS.get(name);
      expect(severity).toBe(alert?.labels.severity);
      expect(threshold).toBe(thresholdOf(alert?.expr ?? ''));
      expect(alert?.annotations.runbook_url).toMatch(
        new RegExp(`/docs/monitoring\\.md#${name.toLowerCase()}$`),
      );
    },
  );

  it.each([
    ...[...ALERT_HINTS, ...OWN_HINTS].map(({ name }) => name),
    ...['NodeVersionsDiffer', 'NodeClocksDiffer', 'NodeMissing'],
  ])('%s leads to a heading', name => {
    expect(docOf(name)).toBe(`monitoring#${name.toLowerCase()}`);
    expect(PAGE).toMatch(new RegExp(`^### ${name}$`, 'm'));
  });

  it('are dated by the first of the looks that have them', () => {
    const seen = new HintsSeen();
    const hint = { ...{ name: 'NoAuth', severity: 'critical', node: 'a' }, value: 1, threshold: 0, doc: '' };
    const since = (now: number, ...hints: readonly (typeof hint)[]) =>
      seen.dated(hints as never, now).map(dated => dated.since);
    expect(since(1, hint)).toEqual([1]);
    expect(since(5, hint, { ...hint, node: 'b' })).toEqual([1, 5]);
    expect(since(9, { ...hint, node: 'b' })).toEqual([5]);
    expect(since(12, hint)).toEqual([12]);
  });
});
