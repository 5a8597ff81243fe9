import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { clock } from '../../app/clock.ts';
import { Name } from '../../parts/basics.tsx';
import { type Line, LineChart } from '../../parts/line-chart.tsx';
import { type NodeRow, rate } from './nodes.tsx';

const KEPT_MS = 600_000;
/** A chart of a page that was just opened. */
const LEAST_MS = 120_000;
/** Lines that can be told apart; further nodes are in the table. */
const MOST_LINES = 7;

/** Deliveries per second of each node, since the page was opened. */
export function Deliveries({
  nodes,
  at,
  isWide,
}: {
  readonly nodes: readonly NodeRow[];
  readonly at: number;
  readonly isWide: boolean;
}): JSX.Element {
  const kept = useRef(new Map<string, (readonly [at: number, value: number])[]>());
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [, setDrawn] = useState(0);
  useEffect(() => {
    const now = clock.now();
    for (const { id, rates } of nodes) {
      const points = kept.current.get(id) ?? [];
      kept.current.set(id, [...points.filter(([then]) => now - then < KEPT_MS), [now, rates.deliveries]]);
    }
    setDrawn(now);
  }, [nodes, at]);
  const shown = nodes.slice(0, MOST_LINES);
  const lines = shown.map(
    ({ id }, index): Line => ({ name: id, color: index + 1, points: kept.current.get(id) ?? [] }),
  );
  const now = clock.now();
  const first = Math.min(now, ...lines.flatMap(({ points }) => points.slice(0, 1).map(([then]) => then)));
  const toggle = (id: string): void =>
    setHidden(before => new Set(before.has(id) ? [...before].filter(one => one !== id) : [...before, id]));
  return (
    <section class={isWide ? 'panel c12' : 'panel c8'} aria-labelledby="deliveries">
      <header>
        <h2 id="deliveries">Deliveries a second</h2>
        <div class="legend">
          {shown.map(({ id, rates }, index) => (
            <button key={id} type="button" aria-pressed={!hidden.has(id)} onClick={() => toggle(id)}>
              <svg viewBox="0 0 16 8" aria-hidden="true">
                <path d="M0 4h16" class={`line series-${index + 1}`} />
              </svg>
              <Name text={id} /> <span class="value tabular">{rate(rates.deliveries)}</span>
            </button>
          ))}
        </div>
      </header>
      <div class="body">
        <LineChart
          lines={lines.filter(({ name }) => !hidden.has(name))}
          isWide={isWide}
          now={now}
          spanMs={Math.min(KEPT_MS, Math.max(LEAST_MS, now - first))}
          label={`Deliveries a second of ${shown.length} nodes, since this page was opened`}
        />
      </div>
    </section>
  );
}
