import type { Outcome } from './run.ts';

/** A line about one round. */
export function lineOf(outcome: Outcome): string {
  return `seed ${outcome.seed}: ${figures(outcome)}, ${outcome.faults.length} faults, ${outcome.seconds} s`;
}

/** The totals of the rounds that passed. */
export function totalOf(seed: number, passed: readonly Outcome[], failed: number): string {
  const sum = (of: (outcome: Outcome) => number): number =>
    passed.reduce((total, outcome) => total + of(outcome), 0);
  const total = {
    kills: sum(({ kills }) => kills),
    atPoints: sum(({ atPoints }) => atPoints),
    committed: sum(({ committed }) => committed),
    rolledBack: sum(({ rolledBack }) => rolledBack),
    unknown: sum(({ unknown }) => unknown),
    publications: sum(({ publications }) => publications),
    heard: sum(({ heard }) => heard),
  };
  const verdict = failed === 0 ? '0 lost, 0 phantom, 0 doubled, order kept' : `${failed} rounds FAILED`;
  return `outbox:kill: seed ${seed}, ${figures(total)}: ${verdict}`;
}

function figures(of: Omit<Outcome, 'seed' | 'faults' | 'seconds'>): string {
  return (
    `${of.kills} kills (${of.atPoints} at points), ${of.committed + of.rolledBack} transactions ` +
    `(${of.rolledBack} rolled back, ${of.unknown} unknown besides), ${of.publications} publications, ` +
    `${of.heard} heard`
  );
}
