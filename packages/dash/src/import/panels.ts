import type { JsonObject } from '../document/json.ts';
import { barChart, pieChart, timeChart } from './charts.ts';
import { type ImportContext, type ImportedItem, putText } from './context.ts';
import { metricItem } from './figures.ts';
import type { PanelQuery } from './panel-query.ts';
import { panelQuery } from './queries.ts';
import type { PanelSource } from './source.ts';

/** How a type of panel becomes an item. */
interface PanelKind {
  /** It shows one moment: the query asks for no span. */
  readonly isMoment: boolean;
  make(panel: PanelSource, query: PanelQuery, context: ImportContext): ImportedItem;
}

/** Types of panels that become items. */
const KINDS: ReadonlyMap<string, PanelKind> = new Map([
  ['timeseries', { isMoment: false, make: timeChart }],
  ['graph', { isMoment: false, make: timeChart }],
  ['barchart', { isMoment: true, make: barChart }],
  ['bargauge', { isMoment: true, make: barChart }],
  ['piechart', { isMoment: true, make: pieChart }],
  ['stat', { isMoment: false, make: metricItem }],
  ['gauge', { isMoment: false, make: metricItem }],
  ['table', { isMoment: false, make: tableItem }],
]);

/** The item of a panel; one that dash cannot make is a note that says why. */
export function importPanel(panel: PanelSource, context: ImportContext): ImportedItem {
  const { report } = context;
  const type = panel.type.text ?? '';
  if (type === 'text') return textItem(panel, context);
  const kind = KINDS.get(type);
  if (kind === undefined) return note(panel, `dash has no item like ${type === '' ? 'it' : type}`, context);
  const query = panelQuery(panel, context, kind.isMoment);
  if (typeof query === 'string') return note(panel, query, context);
  if (query.areKeysKnown) {
    const item = kind.make(panel, query, context);
    if (item.type === type) report.same(panel.type, 'an item of the same type');
    else report.change(panel.type, `an item of type ${item.type}`);
    return item;
  }
  report.change(panel.type, 'a table: the statement does not tell its columns');
  return tableItem(panel, query, context);
}

function tableItem({ options }: PanelSource, query: PanelQuery, { report }: ImportContext): ImportedItem {
  report.same(options.at('cellHeight'), 'the theme sets the height of rows');
  return { type: 'table', config: { connectionId: query.connectionId, query: query.query } };
}

/** Markdown stays; HTML and code are shown as they are written. */
function textItem(panel: PanelSource, context: ImportContext): ImportedItem {
  const { report } = context;
  // Files before version 7 have the members beside the type.
  const [options, old] = [panel.options, panel.whole];
  const content = options.at('content').exists ? options.at('content') : old.at('content');
  const mode = options.at('mode').exists ? options.at('mode') : old.at('mode');
  const config: JsonObject = {};
  report.change(panel.type, 'an item of type markdown');
  if (content.text === undefined || content.text === '') {
    report.same(content, 'an empty text');
    report.same(mode, 'an empty text');
    return { type: 'markdown', config: { source: ' ' } };
  }
  const text = putText(content, config, 'source', context);
  if (mode.text === undefined || mode.text === 'markdown') {
    report.same(mode, 'markdown');
    return { type: 'markdown', config };
  }
  config['source'] = fenced(text);
  report.change(mode, 'shown as it is written: dash renders no HTML of a document', config, 'source');
  return { type: 'markdown', config };
}

/** A code block with more backticks than its text has in a row. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** What stands in the place of a panel that dash cannot show. */
function note(panel: PanelSource, why: string, { report }: ImportContext): ImportedItem {
  report.lose(panel.type, why);
  for (const { whole } of panel.targets) report.lose(whole, 'a note stands in the place of the panel');
  return { type: 'markdown', config: { source: `Not imported: ${plain(why)}.` } };
}

/** Text without a meaning in Markdown and in documents. */
const plain = (text: string): string => text.replace(/[^\p{L}\p{N} .,:_-]/gu, ' ');
