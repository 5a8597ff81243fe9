import { BadUse } from '../arguments.ts';
import { nearest } from '../nearest.ts';
import type { Totals } from './totals.ts';

/** When a campaign ends. */
export interface Until {
  readonly kind: 'deliveries' | 'hours' | 'time';
  /** Deliveries, virtual hours of clusters, or real milliseconds of this call. */
  readonly amount: number;
}

const KINDS = ['deliveries', 'hours', 'time'] as const;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** @throws BadUse */
export function readUntil(text: string): Until {
  const [word = '', amount = ''] = text.split('=', 2);
  const kind = KINDS.find(candidate => candidate === word);
  if (kind === undefined)
    throw new BadUse(`until "${word}" is not known; the nearest is "${nearest(word, KINDS)}"`);
  const value = kind === 'time' ? timeOf(amount) : numberOf(amount);
  if (value !== undefined) return { kind, amount: value };
  const expected = kind === 'time' ? 'a time such as 8h, 90m or 30s' : 'a number such as 1e9';
  throw new BadUse(`--until ${kind}= must be ${expected}; got ${JSON.stringify(amount)}`);
}

/** Whether the campaign is at its end. */
export function isReached({ kind, amount }: Until, totals: Totals, elapsedMs: number): boolean {
  if (kind === 'time') return elapsedMs >= amount;
  return (kind === 'hours' ? totals.clusterMs / UNIT_MS['h']! : totals.deliveries) >= amount;
}

function numberOf(text: string): number | undefined {
  if (!/^\d+(\.\d+)?(e\d{1,2})?$/.test(text)) return undefined;
  return Number(text) > 0 ? Number(text) : undefined;
}

function timeOf(text: string): number | undefined {
  const { amount, unit = '' } = /^(?<amount>\d+(\.\d+)?)(?<unit>[smh])$/.exec(text)?.groups ?? {};
  const ms = Number(amount) * (UNIT_MS[unit] ?? 0);
  return ms > 0 ? ms : undefined;
}
