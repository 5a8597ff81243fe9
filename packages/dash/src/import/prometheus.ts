import type { Json, JsonObject } from '../document/json.ts';
import { type ImportContext, putText } from './context.ts';
import type { Cursor } from './cursor.ts';
import { literal, rewriteText } from './references.ts';
import type { PanelSource, TargetSource } from './source.ts';

/** Most queries of an item, by the schema of the connection. */
const MOST_QUERIES = 10;
/** Longest name of a query, with room for the number that makes it another one. */
const LONGEST_NAME = 190;
const AUTO_LEGEND = '__auto';
const SPAN = /^(?:\d{1,9}(?:ms|[smhdwy]))+$/;
/** Label under which each series carries its own name, where legends of queries differ. */
const LEGEND_LABEL = 'legend';

/** A query of an item, with the row key that tells its series apart. */
export interface ItemQuery {
  readonly query: JsonObject;
  readonly by: 'series' | 'query';
  /** The one name of all series, where the file gives one without labels. */
  readonly name: string | undefined;
}

/**
 * The expressions of a panel as one query. Where each has a legend of its own, each series carries its name as a label.
 * @param instant true for an item that shows one moment only.
 */
export function prometheusQuery(
  panel: PanelSource,
  targets: readonly TargetSource[],
  context: ImportContext,
  instant: boolean,
): ItemQuery {
  const { report } = context;
  for (const target of targets.slice(MOST_QUERIES))
    report.lose(target.whole, `an item asks at most ${MOST_QUERIES} queries`);
  const asked = targets.slice(0, MOST_QUERIES);
  const query: JsonObject = {};
  const [first] = asked;
  const isSingle = asked.length === 1 && first !== undefined;
  const named = isSingle ? oneQuery(first, query, context) : severalQueries(asked, query, context);
  const isInstant = instant || asked.every(({ spec }) => spec.at('instant').value === true);
  if (isInstant) query['instant'] = true;
  for (const { spec } of asked) reportMoment(spec, query, isInstant, context);
  putSpan(panel.span, query, context);
  return { query, ...named };
}

type Named = Pick<ItemQuery, 'by' | 'name'>;

function oneQuery(target: TargetSource, query: JsonObject, context: ImportContext): Named {
  putText(target.spec.at('expr'), query, 'expr', context, true);
  const legend = legendOf(target);
  if (legend === '') {
    context.report.same(target.spec.at('legendFormat'), 'series have the names of their labels');
    return { by: 'series', name: undefined };
  }
  const text = putText(target.spec.at('legendFormat'), query, 'legend', context);
  return { by: 'series', name: text.includes('{{') ? undefined : text };
}

function severalQueries(targets: readonly TargetSource[], query: JsonObject, context: ImportContext): Named {
  const { report } = context;
  const legends = targets.map(legendOf);
  const list: JsonObject[] = targets.map((target, at) => ({
    name: literal(target.refId.text ?? String(at + 1)).slice(0, LONGEST_NAME),
    expr: '',
  }));
  query['queries'] = list as Json[];
  const areNamed = legends.every(legend => legend !== '');
  for (const [at, target] of targets.entries()) {
    const entry = list[at];
    if (entry === undefined) continue;
    report.keep(target.refId, entry, 'name');
    const expr = target.spec.at('expr');
    if (areNamed) report.change(expr, `each series carries its name as label ${LEGEND_LABEL}`, entry, 'expr');
    putText(expr, entry, 'expr', context, true);
    if (areNamed) nameSeries(target, entry, context);
    else report.same(target.spec.at('legendFormat'), 'a series has the name of its query');
  }
  distinctNames(list);
  if (areNamed) query['legend'] = `{{${LEGEND_LABEL}}}`;
  return { by: areNamed ? 'series' : 'query', name: undefined };
}

/** Gives each series of a query its name as a label, by functions of the query language. */
function nameSeries({ spec }: TargetSource, entry: JsonObject, { report, variables }: ImportContext): void {
  const legend = spec.at('legendFormat');
  const { text } = rewriteText(legend.text ?? '', variables.names, false);
  const labels = [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(match => match[1] ?? '');
  // In a replacement "$1" is a group and "$$" a dollar sign; references of the document are filled in before.
  const parts = text.split(/\{\{\s*\w+\s*\}\}/);
  const name = parts.map((part, at) => (at === 0 ? part : `$${at}${part}`)).join('');
  const expr = String(entry['expr']);
  const vector = /^\s*[\d.]+\s*$/.test(expr) ? `vector(${expr.trim()})` : expr;
  const quoted = JSON.stringify(name);
  const [label = ''] = labels;
  if (labels.length <= 1) {
    const group = labels.length === 1 ? '"(.*)"' : '""';
    entry['expr'] = `label_replace(${vector}, "${LEGEND_LABEL}", ${quoted}, "${label}", ${group})`;
  } else {
    const names = labels.map(each => `"${each}"`).join(', ');
    const groups = labels.map(() => '([^;]*)').join(';');
    const joined = `label_join(${vector}, "${LEGEND_LABEL}", ";", ${names})`;
    entry['expr'] = `label_replace(${joined}, "${LEGEND_LABEL}", ${quoted}, "${LEGEND_LABEL}", "${groups}")`;
  }
  report.change(legend, `each series carries its name as label ${LEGEND_LABEL}`, entry, 'expr');
}

/** Names of queries must differ. */
function distinctNames(list: readonly JsonObject[]): void {
  const taken = new Set<string>();
  for (const [at, entry] of list.entries()) {
    const name = String(entry['name']);
    if (name === '' || taken.has(name)) entry['name'] = `${name}${at + 1}`;
    taken.add(String(entry['name']));
  }
}

function legendOf({ spec }: TargetSource): string {
  const legend = spec.at('legendFormat').text ?? '';
  return legend === AUTO_LEGEND ? '' : legend;
}

function reportMoment(spec: Cursor, query: JsonObject, isInstant: boolean, { report }: ImportContext): void {
  const [instant, range] = [spec.at('instant'), spec.at('range')];
  if (!isInstant) {
    if (instant.value === true) report.change(instant, 'the queries of an item ask for one span');
    return;
  }
  if (instant.value === true) report.keep(instant, query, 'instant');
  else report.change(instant, 'the item shows the last moment', query, 'instant');
  if (range.value === true) report.change(range, 'the item shows the last moment', query, 'instant');
  else report.same(range, 'the query asks for one moment');
}

/** The span of a panel that differs from that of the page. */
function putSpan(span: Cursor, query: JsonObject, { report }: ImportContext): void {
  if (span.text === undefined) return;
  if (!SPAN.test(span.text)) {
    report.lose(span, 'a span is a duration such as 6h');
    return;
  }
  query['range'] = span.text;
  report.keep(span, query, 'range');
}
