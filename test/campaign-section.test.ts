import type { Piece } from '@msg/sim/campaign';
import { expect, it } from 'vitest';
import { campaignSection } from '../scripts/campaign-section.ts';

const PIECE: Piece = {
  ...{ commit: '0123456789abcdef', node: 'v26.0.0', class: 'all', from: 1, date: '2026-11-28' },
  seeds: [
    [1, 40],
    [42, 42],
  ],
  ...{ coreHours: 1.25, deliveries: 2_000_000, clusterHours: 60, rssMiB: 400 },
  classes: {
    standard: {
      ...{ seeds: 41, hours: 80, clusterHours: 60, coreHours: 1.25, events: 9 },
      counts: { deliveries: 2_000_000, recovered: 1500, unrecovered: 700, lost: 30, wiped: 4 },
    },
  },
  ...{ faults: { cut: 12_000 }, codes: { 2500: 800, 3012: 9 } },
  findings: [],
};

it('the section of the campaign adds up pieces', () => {
  const text = campaignSection({ pieces: [PIECE, { ...PIECE, commit: 'fedcba9876543210' }] });
  expect(text).toContain('4,000,000 deliveries and 120 cluster hours in 82 seeds and 2.5 core hours so far.');
  for (const row of [
    '| 2026-11-28 | `0123456789ab` | v26.0.0 | all | 1–40, 42 | 1.25 | 2,000,000 | 60 |',
    '| standard | 82 | 160 | 120 | 2.5 | 4,000,000 | 3,000 | 1,400 |',
    '| 2500 | insufficient state | 1,600 |',
    '| cut | 24,000 |',
    '| E3 | times that the store lost everything | 8 |',
  ])
    expect(text.split('\n')).toContain(row);
  expect(text).toContain('No promise was broken.');
});

it('the section of the campaign names findings with their plans', () => {
  const finding = { class: 'standard', seed: 7, oracle: 'O5', text: 'a lie', corpus: 'no-lie' };
  const lines = campaignSection({ pieces: [{ ...PIECE, findings: [finding] }] }).split('\n');
  expect(lines).toContain(
    '| `0123456789ab` | 7 of standard | O5 | a lie | [no-lie](../packages/sim/corpus/no-lie.json) |',
  );
});

it('the section of no campaign says so, and the goal', () => {
  expect(campaignSection({ pieces: [] })).toBe(
    'No campaign is recorded yet. The goal is 1,000,000,000 deliveries and 100,000 cluster hours.',
  );
});
