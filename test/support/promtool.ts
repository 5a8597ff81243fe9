import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { Scrape } from '../../packages/server/test/support/scrape.ts';

const ALERTS = join(import.meta.dirname, '../../ops/prometheus/alerts.yaml');
/** Minutes of the first scrape's figures, before those of the second. */
export const BEFORE = 6;
const MINUTES = 30;

/** A series as promtool reads it, one value a minute. */
export interface InputSeries {
  readonly series: string;
  readonly values: string;
}

/** A series by its metric and labels, of the instance `a`. */
export function seriesNamed(
  metric: string,
  labels: Readonly<Record<string, string>>,
  values: string,
): InputSeries {
  const names = Object.entries({ ...labels, instance: 'a', job: 'msg' });
  return { series: `${metric}{${names.map(([name, text]) => `${name}="${text}"`).join(',')}}`, values };
}

/** The figures of one scrape, then for a long time those of the next one. */
export function seriesBetween(
  metrics: readonly string[],
  before: Scrape,
  after: Scrape,
): readonly InputSeries[] {
  return metrics.flatMap(metric =>
    after.samples(metric).map(({ labels, value }) => {
      const [earlier] = before.samples(metric, labels);
      const first = earlier === undefined ? '_' : earlier.value;
      return seriesNamed(metric, labels, `${first}x${BEFORE - 1} ${value}x${MINUTES}`);
    }),
  );
}

/** An alert, the series it is asked about, and when it fires for them. */
export interface FiringCase {
  readonly alert: string;
  readonly series: readonly InputSeries[];
  /** Minutes from the change, after {@link BEFORE}, to the alert. */
  readonly after: number;
  /** Where the file for promtool is written. */
  readonly folder: string;
}

/** Asks promtool whether the alert fires once after the change, and not before. */
export async function expectFiring({ alert, series, after, folder }: FiringCase): Promise<void> {
  const firing = `count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"})`;
  const labels = `{alertname="${alert}"}`;
  const rules = {
    rule_files: [ALERTS],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series,
        promql_expr_test: [
          { expr: firing, eval_time: `${BEFORE - 1}m`, exp_samples: [] },
          { expr: firing, eval_time: `${BEFORE + after}m`, exp_samples: [{ labels, value: 1 }] },
        ],
      },
    ],
  };
  const file = join(folder, `${alert}.yaml`);
  await writeFile(file, stringify(rules));
  const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', file]);
  expect(stdout).toContain('SUCCESS');
}
