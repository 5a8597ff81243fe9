import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MsgServer, startMsg } from '@msg/testkit';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { familyOf, type Scrape, scrape } from '../packages/server/test/support/scrape.ts';
import { repositoryOf } from '../scripts/pack.ts';
import { addressOf } from '../scripts/published.ts';

const ROOT = join(import.meta.dirname, '..');
const file = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { groups } = parse(file('ops/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap(group => group.rules);
const { panels } = JSON.parse(file('ops/grafana/msg.json')) as { panels: Panel[] };

/** Grafana fills its variables in before Prometheus sees a query. */
const asQuery = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, 'any');
const queries: readonly (readonly [title: string, query: string])[] = [
  ...rules.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [`panel ${title}`, asQuery(expr)] as const),
  ),
];

/** Names of the metrics in a query, by the grammar of Prometheus itself. @throws Error for what it cannot read. */
function metricsOf(query: string): string[] {
  const names: string[] = [];
  parser.parse(query).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`not PromQL at ${node.from}: ${query}`);
      if (node.type.name === 'VectorSelector') {
        const name = /^\w+/.exec(query.slice(node.from, node.to))?.[0];
        if (name !== undefined) names.push(name);
      }
    },
  });
  return names;
}

let servers: readonly MsgServer[];
let scraped: Scrape;
let ofThreads: Scrape;
beforeAll(async () => {
  servers = await Promise.all([startMsg(), startMsg({ args: ['--threads', '2'] })]);
  [scraped, ofThreads] = (await Promise.all(servers.map(({ url }) => scrape(url)))) as [Scrape, Scrape];
});
afterAll(() => Promise.all(servers.map(server => server.stop())));

test('the grammar bites', () => {
  expect(() => metricsOf('sum(rate(msg_x[5m])')).toThrow('not PromQL');
  expect(metricsOf('sum by (a) (rate(msg_x{b="c"}[5m])) / msg_y')).toEqual(['msg_x', 'msg_y']);
});

/** What Prometheus itself adds about a scrape. */
const OF_PROMETHEUS = new Set(['up']);

test.each(queries)('%s asks only for metrics that a running server has', (_, query) => {
  const names = metricsOf(query);
  expect(names.length).toBeGreaterThan(0);
  const has = (name: string) =>
    [scraped, ofThreads].some(({ metrics }) => metrics.has(name) || metrics.has(familyOf(name)));
  expect(names.filter(name => !has(name) && !OF_PROMETHEUS.has(name))).toEqual([]);
});

test('the dashboard shows every metric of the service', () => {
  const shown = new Set(
    queries.filter(([title]) => title.startsWith('panel')).flatMap(([, query]) => metricsOf(query)),
  );
  const families = new Set([...shown].map(familyOf));
  const own = [scraped, ofThreads]
    .flatMap(({ metrics }) => [...metrics.keys()])
    .filter(name => name.startsWith('msg_'));
  expect(own).toContain('msg_thread_up');
  expect(own.filter(name => !families.has(name) && !shown.has(name))).toEqual([]);
  expect(panels.filter(({ targets, description }) => targets !== undefined && !description)).toEqual([]);
});

describe('alert rules', () => {
  const monitoring = file('docs/monitoring.md');

  test.each(rules.map(rule => [rule.alert, rule] as const))(
    '%s is complete and has its runbook',
    (name, rule) => {
      expect(rule.for).toMatch(/^\d+[smh]$/);
      expect(['info', 'warning', 'critical']).toContain(rule.labels.severity);
      expect(rule.annotations.summary).toMatch(/\S/);
      const page = addressOf(repositoryOf(ROOT), 'docs/monitoring.md');
      expect(rule.annotations.runbook_url).toBe(`${page}#${name.toLowerCase()}`);
      expect(monitoring).toContain(`### ${name}\n`);
    },
  );
});
