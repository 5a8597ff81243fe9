import type { JsonObject } from '../document/json.ts';
import type { ImportContext, ImportedItem } from './context.ts';
import type { PanelQuery } from './panel-query.ts';
import { literal } from './references.ts';
import type { PanelSource } from './source.ts';
import { importThresholds } from './thresholds.ts';
import { unitForm } from './units.ts';

/** Aggregates by the names of Grafana's reducers. */
const AGGREGATES: ReadonlyMap<string, string> = new Map([
  ['last', 'last'],
  ['lastNotNull', 'last'],
  ['first', 'first'],
  ['firstNotNull', 'first'],
  ['mean', 'avg'],
  ['sum', 'sum'],
  ['min', 'min'],
  ['max', 'max'],
  ['count', 'count'],
]);
const MOST_DIGITS = 6;

/** The aggregate of a panel that shows one value of each series. */
export function aggregateOf(panel: PanelSource): string {
  return AGGREGATES.get(panel.options.at('reduceOptions', 'calcs').items[0]?.text ?? 'lastNotNull') ?? 'last';
}

/** Reports the reducers of a panel, of which one counts. */
function reportReducers(panel: PanelSource, config: JsonObject, { report }: ImportContext): void {
  for (const [at, calc] of panel.options.at('reduceOptions', 'calcs').items.entries()) {
    if (at > 0) report.lose(calc, 'an item shows one value');
    else if (AGGREGATES.has(calc.text ?? '')) report.change(calc, 'the aggregate', config, 'aggregate');
    else report.change(calc, 'dash has no such aggregate: the last value stands there', config, 'aggregate');
  }
}

/** One figure: a `stat` or a `gauge`. */
export function metricItem(panel: PanelSource, query: PanelQuery, context: ImportContext): ImportedItem {
  const { report, offers } = context;
  const { defaults } = panel;
  const config: JsonObject = {
    connectionId: query.connectionId,
    query: query.query,
    field: query.value,
    aggregate: aggregateOf(panel),
  };
  reportReducers(panel, config, context);
  const unit = defaults.at('unit');
  const form = unitForm(unit.text ?? 'none');
  if (form.unit !== undefined && form.unit !== '') config['unit'] = literal(form.unit);
  if (form.format !== undefined) config['format'] = form.format;
  const shown = form.unit === undefined ? 'format' : 'unit';
  if (form.unit !== undefined && form.unit === unit.text) report.keep(unit, config, 'unit');
  else if (form.why === undefined && form.format === undefined && form.unit === undefined)
    report.same(unit, 'the figure has no unit');
  else if (config[shown] === undefined) report.change(unit, form.why ?? 'the figure has no unit');
  else report.change(unit, form.why ?? 'the same unit by another name', config, shown);
  const decimals = defaults.at('decimals');
  if (decimals.number !== undefined) {
    config['digits'] = Math.min(MOST_DIGITS, Math.max(0, Math.round(decimals.number)));
    if (config['format'] === undefined) config['format'] = 'decimal';
    report.keep(decimals, config, 'digits');
  }
  putThresholds(panel, config, offers.metricThresholds, context);
  return { type: 'metric', config };
}

/** Thresholds of a panel, where the item can show them. */
export function putThresholds(
  { defaults }: PanelSource,
  config: JsonObject,
  isOffered: boolean,
  { report }: ImportContext,
): void {
  const thresholds = defaults.at('thresholds');
  const bounds = { min: defaults.at('min'), max: defaults.at('max') };
  if (!isOffered || !thresholds.exists) return;
  if (thresholds.at('mode').text === 'percentage')
    for (const bound of [bounds.min, bounds.max]) report.change(bound, 'thresholds are parts of it');
  const list = importThresholds(thresholds, bounds, report);
  if (list !== undefined) config['thresholds'] = list;
}
