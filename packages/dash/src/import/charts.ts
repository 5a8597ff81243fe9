import type { JsonObject } from '../document/json.ts';
import { type ImportContext, type ImportedItem, putText } from './context.ts';
import type { Cursor } from './cursor.ts';
import { aggregateOf, putThresholds } from './figures.ts';
import type { PanelQuery } from './panel-query.ts';
import { literal } from './references.ts';
import type { PanelSource } from './source.ts';
import { unitForm } from './units.ts';

/** Rows over time: `timeseries` and the older `graph`. */
export function timeChart(panel: PanelSource, query: PanelQuery, context: ImportContext): ImportedItem {
  const { report } = context;
  const custom = panel.defaults.at('custom');
  const isOld = panel.type.text === 'graph';
  const stacking = custom.at('stacking', 'mode');
  const stackedOld = panel.whole.at('stack');
  const isStacked = isOld ? stackedOld.value === true : ['normal', 'percent'].includes(stacking.text ?? '');
  const style = custom.at('drawStyle');
  const bars = panel.whole.at('bars');
  const isBars = isOld ? bars.value === true : style.text === 'bars';
  const kind = isBars ? 'bar' : isStacked ? 'area' : 'line';
  const config = chartConfig(kind, query, context);
  if (isStacked) config['stacked'] = true;
  if (stacking.text === 'normal') report.change(stacking, 'series stand on one another', config, 'stacked');
  if (stacking.text === 'percent')
    report.change(stacking, 'series stand on one another, as values', config, 'stacked');
  if (style.text === 'bars') report.change(style, 'drawn as bars', config, 'kind');
  if (style.text === 'points') report.change(style, 'drawn as a line', config, 'kind');
  if (isOld) reportOldLook(panel.whole, config, context);
  putAxis(panel, config, context, [custom.at('axisLabel'), panel.whole.at('yaxes', '0', 'label')]);
  const shown = custom.at('thresholdsStyle', 'mode');
  if (shown.text !== undefined && shown.text !== 'off') {
    putThresholds(panel, config, context.offers.chartThresholds, context);
    if (config['thresholds'] !== undefined)
      report.change(shown, 'thresholds are drawn in one way', config, 'thresholds');
  } else report.same(panel.defaults.at('thresholds'), 'the panel does not show them');
  return { type: 'chart', config };
}

/** One bar for each series: `barchart` and `bargauge`. */
export function barChart(panel: PanelSource, query: PanelQuery, context: ImportContext): ImportedItem {
  const config = chartConfig('bar', query, context);
  const stacking = panel.options.at('stacking');
  if (stacking.text === 'normal' || stacking.text === 'percent') {
    config['stacked'] = true;
    context.report.change(stacking, 'series stand on one another', config, 'stacked');
  } else context.report.same(stacking, 'drawn without a stack');
  putAxis(panel, config, context, [panel.defaults.at('custom', 'axisLabel')]);
  reportMoment(panel, context);
  return { type: 'chart', config };
}

/** One slice for each series. */
export function pieChart(panel: PanelSource, query: PanelQuery, context: ImportContext): ImportedItem {
  const config = chartConfig('pie', query, context);
  context.report.same(panel.options.at('pieType'), 'drawn as a pie');
  reportMoment(panel, context);
  return { type: 'chart', config };
}

function reportMoment(panel: PanelSource, { report }: ImportContext): void {
  const [calc] = panel.options.at('reduceOptions', 'calcs').items;
  if (calc === undefined) return;
  if (aggregateOf(panel) === 'last') report.same(calc, 'the query asks for the last moment');
  else report.change(calc, 'the query asks for the last moment');
}

function chartConfig(kind: string, query: PanelQuery, { offers }: ImportContext): JsonObject {
  const { connectionId, x, value, by, name } = query;
  // With one row for each series, the series are the categories.
  const isByName = query.isMoment && by !== undefined;
  const series: JsonObject = { field: value };
  if (name !== undefined && name !== '') series['label'] = name;
  const config: JsonObject = {
    kind,
    x: isByName ? by : x,
    series: [series],
    connectionId,
    query: query.query,
  };
  const isSplit = !isByName && by !== undefined && name === undefined && kind !== 'pie';
  if (isSplit && offers.chartBy) config['by'] = by;
  return config;
}

/** The label of the axis of values: its own, and the unit of the values. */
function putAxis(
  panel: PanelSource,
  config: JsonObject,
  context: ImportContext,
  labels: readonly Cursor[],
): void {
  const { report } = context;
  const label = labels.find(({ text }) => text !== undefined && text !== '');
  const labelText = label === undefined ? '' : putText(label, config, 'yLabel', context);
  const isOld = panel.type.text === 'graph';
  const unit = isOld ? panel.whole.at('yaxes', '0', 'format') : panel.defaults.at('unit');
  const { unit: name = '', format, why } = unitForm(unit.text ?? 'none');
  const shown = literal(name);
  if (format === 'percent') report.change(unit, 'a chart shows parts of 1, not percent');
  if (shown !== '') {
    config['yLabel'] = labelText === '' ? shown : `${labelText} (${shown})`;
    report.change(unit, why ?? 'the unit is in the label of the axis', config, 'yLabel');
  } else if (format === undefined) {
    if (why === undefined) report.same(unit, 'the axis has no unit');
    else report.change(unit, why);
  }
  const decimals = panel.defaults.at('decimals');
  report.lose(decimals, 'a chart chooses the digits of its axis');
}

function reportOldLook(panel: Cursor, config: JsonObject, { report }: ImportContext): void {
  report.change(panel.at('lines'), 'the kind of the chart', config, 'kind');
  report.change(panel.at('bars'), 'the kind of the chart', config, 'kind');
  if (panel.at('stack').value === true) report.keep(panel.at('stack'), config, 'stacked');
  else report.same(panel.at('stack'), 'drawn without a stack');
  if (panel.at('points').value === true) report.change(panel.at('points'), 'drawn as a line', config, 'kind');
  else report.same(panel.at('points'), 'drawn without points');
}
