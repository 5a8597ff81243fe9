import { defined } from '@msg/foundation/json';
import { isJsonObject, type Json, type JsonObject, ownMember, setMember } from '../../document/json.ts';
import { MOST_ROWS } from '../bounded-rows.ts';
import type { DataRows, Row } from '../contract.ts';
import { responseInvalid } from '../dial/response-body.ts';
import type { PrometheusAnswer } from './answer.ts';

/** Columns of every row, whose names a label must not take. */
const OWN = new Set(['time', 'value', 'series', 'query']);

/** The answer to one expression. */
export interface NamedAnswer {
  /** Name of the query where there are several. */
  readonly name: string | undefined;
  readonly answer: PrometheusAnswer;
}

/**
 * One row for each point of each series: `{time, value, series, …labels}`, with several queries also `query` (page and
 * review 5.3).
 * @throws DashError QUERY_RESPONSE_INVALID.
 */
export function tidyRows(answers: readonly NamedAnswer[], legend: string | undefined): DataRows {
  const rows: Row[] = [];
  const labels = new Set<string>();
  const warnings = new Set<string>();
  const times = new Times();
  for (const { name, answer } of answers) {
    for (const warning of answer.warnings) warnings.add(warning);
    for (const series of seriesOf(answer)) {
      const fixed = columnsOf(series, name, legend);
      for (const key in fixed) if (!OWN.has(key)) labels.add(key);
      if (series.isHistogram) warnings.add('Native histograms are left out; use histogram_quantile.');
      addRows(rows, series, fixed, times);
    }
  }
  const columns = [
    'time',
    'value',
    'series',
    ...(answers.some(({ name }) => name !== undefined) ? ['query'] : []),
  ];
  return defined({
    columns: [...columns, ...[...labels].sort()],
    rows: rows.length > MOST_ROWS ? rows.slice(0, MOST_ROWS) : rows,
    truncated: rows.length > MOST_ROWS ? (true as const) : undefined,
    warnings: warnings.size === 0 ? undefined : [...warnings],
  });
}

interface Series {
  readonly metric: JsonObject;
  readonly points: readonly Json[];
  readonly isHistogram: boolean;
  /** Its values are texts, also where they look like numbers. */
  readonly isText: boolean;
}

function* seriesOf({ resultType, result }: PrometheusAnswer): Generator<Series> {
  if (resultType === 'scalar' || resultType === 'string') {
    yield { metric: {}, points: [result], isHistogram: false, isText: resultType === 'string' };
    return;
  }
  if (resultType !== 'matrix' && resultType !== 'vector')
    throw responseInvalid('its result is of an unknown type', '/data/resultType');
  for (const [index, series] of (result as Json[]).entries()) {
    const metric = isJsonObject(series) ? ownMember(series, 'metric') : undefined;
    if (!isJsonObject(series) || !isJsonObject(metric)) throw wrongPoint(`/data/result/${index}`);
    const value = ownMember(series, resultType === 'matrix' ? 'values' : 'value');
    const points = resultType === 'vector' && value !== undefined ? [value] : (value ?? []);
    if (!Array.isArray(points)) throw wrongPoint(`/data/result/${index}`);
    const isHistogram = 'histogram' in series || 'histograms' in series;
    yield { metric, points, isHistogram, isText: false };
  }
}

/** The cells that all rows of a series have. */
function columnsOf({ metric }: Series, query: string | undefined, legend: string | undefined): JsonObject {
  const columns: JsonObject = { series: legend === undefined ? labelText(metric) : filled(legend, metric) };
  if (query !== undefined) columns['query'] = query;
  for (const [label, text] of Object.entries(metric)) {
    const isOwn = label === 'query' ? query !== undefined : OWN.has(label);
    if (label !== '__name__') setMember(columns, isOwn ? `label_${label}` : label, String(text));
  }
  return columns;
}

function addRows(rows: Row[], { points, isText }: Series, fixed: JsonObject, times: Times): void {
  // Each row is a copy of one object: several times faster than a row made of its cells.
  const first: JsonObject = { time: null, value: null, ...fixed };
  for (const point of points) {
    if (rows.length > MOST_ROWS) return;
    if (!Array.isArray(point)) throw wrongPoint('/data/result');
    const time = point[0];
    const value = point[1];
    const ms = typeof time === 'number' ? Math.round(time * 1_000) : Number.NaN;
    if (!(Math.abs(ms) <= 8.64e15) || typeof value !== 'string') throw wrongPoint('/data/result');
    const row = { ...first };
    row['time'] = times.text(ms);
    row['value'] = isText ? value : cellOf(value);
    rows.push(row);
  }
}

/** Moments as ISO UTC, without a fraction where it is zero; series have theirs in common. */
class Times {
  readonly #texts = new Map<number, string>();

  text(ms: number): string {
    let text = this.#texts.get(ms);
    if (text === undefined) {
      text = new Date(ms).toISOString().replace('.000Z', 'Z');
      this.#texts.set(ms, text);
    }
    return text;
  }
}

/** A sample as number; not-a-number and infinities are null. */
function cellOf(text: string): number | null {
  const number = Number(text);
  return Number.isFinite(number) && text !== '' ? number : null;
}

/** `{a="1", b="2"}` as the name of a series; the name of the metric when it has no labels. */
function labelText(metric: JsonObject): string {
  const labels = Object.entries(metric).filter(([label]) => label !== '__name__');
  if (labels.length === 0) return String(ownMember(metric, '__name__') ?? '{}');
  return `{${labels.map(([label, text]) => `${label}=${JSON.stringify(text)}`).join(', ')}}`;
}

function filled(legend: string, metric: JsonObject): string {
  return legend.replace(/\{\{\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*\}\}/g, (_, label: string) =>
    String(ownMember(metric, label) ?? ''),
  );
}

const wrongPoint = (path: string) => responseInvalid('one of its series or points is wrong', path);
