import type { Catalog } from '../catalog/types.ts';
import { displayValue } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { nestsDeeper } from '../document/nesting.ts';
import { DashError } from '../errors.ts';
import { readClassic } from './classic.ts';
import type { ImportContext, Offers } from './context.ts';
import { Cursor } from './cursor.ts';
import { DataSources } from './data-sources.ts';
import { importRows } from './layout.ts';
import { type ImportReport, ReportBuilder } from './report.ts';
import { readResource } from './resource.ts';
import type { DashboardSource, GrafanaModel } from './source.ts';
import { importVariables } from './variables.ts';

const RESOURCE = 'dashboard.grafana.app/';
const CLASSIC_MEMBERS = ['panels', 'schemaVersion', 'templating', 'rows'] as const;
const USUAL_SPAN = 'now-6h';
/** Levels below which a file cannot be a dashboard, whose document is nested deeper than it. */
const MOST_LEVELS = 100;

/** How a file is imported. */
export interface ImportOptions {
  readonly catalog: Catalog;
  /** Id of the document; made from the file when absent. */
  readonly id?: string;
  /** Addresses by `uid`, name or variable of a data source. */
  readonly addresses?: ReadonlyMap<string, string>;
}

/** A dashboard of Grafana as a document. */
export interface Imported {
  readonly document: JsonObject;
  readonly report: ImportReport;
  readonly model: GrafanaModel;
  /** Data sources of the file that panels ask. */
  readonly dataSources: readonly string[];
  /** Those of them without an address: their connections lead nowhere. */
  readonly withoutAddress: readonly string[];
  /** Keys of addresses that belong to no data source of the file. */
  readonly unusedAddresses: readonly string[];
}

/**
 * Makes a document of a dashboard of Grafana: Classic, or a resource of version 1 or 2 (page and review 6).
 * @throws DashError IMPORT_INVALID `{reason, where}` for anything else.
 */
export function importGrafana(
  value: unknown,
  { catalog, id, addresses = new Map() }: ImportOptions,
): Imported {
  const file = new Cursor(requireFile(value));
  const source = readSource(file);
  const report = new ReportBuilder();
  const variables = importVariables(source.variables, report);
  const kinds = new Set(catalog.connections.keys());
  const dataSourceNames = new Map([...inputsOf(file), ...variables.dataSources]);
  const sources = new DataSources(
    { addresses, kinds, variables: dataSourceNames, refresh: source.refresh },
    report,
  );
  const context: ImportContext = { report, variables, sources, offers: offersOf(catalog) };
  reportElements(source, report);
  const regions = importRows(source.rows, context);
  const document = documentOf(source, id, regions, context);
  return {
    document,
    report: report.finish(file, document),
    model: source.model,
    dataSources: sources.keys,
    withoutAddress: sources.withoutAddress,
    unusedAddresses: sources.unused,
  };
}

function documentOf(
  source: DashboardSource,
  id: string | undefined,
  regions: JsonObject[],
  { report, variables, sources }: ImportContext,
): JsonObject {
  const manifest: JsonObject = { formatVersion: '1.0.0', id: id ?? idOf(source) };
  report.change(source.name, 'the id of the document', manifest, 'id');
  for (const key of ['title', 'description'] as const) {
    const text = source[key].text;
    if (text === undefined || text === '') continue;
    manifest[key] = text;
    report.keep(source[key], manifest, key);
  }
  const root: JsonObject = { id: 'page', type: 'container', config: { grid: { gap: 1 } } };
  const tags = source.tags.items.map(({ text }) => text).filter(text => text !== undefined);
  if (tags.length > 0) {
    const metadata: JsonObject = { tags: tags.join(', ') };
    root['metadata'] = metadata;
    for (const tag of source.tags.items)
      report.change(tag, 'tags are one text of the page', metadata, 'tags');
  }
  root['children'] = regions;
  reportTime(source, sources, { report });
  const document: JsonObject = { manifest };
  if (variables.declarations.length > 0) document['variables'] = variables.declarations;
  if (sources.connections.length > 0) document['connections'] = sources.connections;
  document['root'] = root;
  return document;
}

/** Panels that no layout shows are lost. */
function reportElements({ elements, rows }: DashboardSource, report: ReportBuilder): void {
  const shown = new Set(rows.flatMap(({ panels }) => panels.map(({ whole }) => whole.pointer)));
  for (const [, element] of elements?.members ?? [])
    if (!shown.has(element.pointer)) report.lose(element, 'no layout shows it');
}

function reportTime(
  { from, to, refresh }: DashboardSource,
  sources: DataSources,
  { report }: Pick<ImportContext, 'report'>,
): void {
  if (from.text === USUAL_SPAN) report.same(from, 'a page shows the last 6 h at first');
  else report.lose(from, 'a page shows the last 6 h at first: open it with ?$time=<span>');
  if (to.text === 'now') report.same(to, 'a page shows the time until now at first');
  else report.lose(to, 'a page shows the time until now at first: open it with ?$time=<from>/<to>');
  if (report.mentions(refresh)) return;
  if (refresh.text === '' || refresh.value === false || refresh.value === null)
    report.same(refresh, 'a page does not ask again by itself');
  else if (sources.connections.length === 0) report.lose(refresh, 'the document has no connection');
  else report.lose(refresh, 'a connection asks again after seconds such as 30s');
}

function readSource(file: Cursor): DashboardSource {
  const api = file.at('apiVersion');
  if (api.text?.startsWith(RESOURCE) === true) {
    const spec = file.at('spec');
    if (!isJsonObject(spec.value)) throw invalid('no_spec', spec, 'must be an object', spec.value);
    const name = file.at('metadata', 'name');
    if (spec.at('elements').exists) return readResource(spec, name);
    if (isClassic(spec)) return readClassic(spec, 'v1', name);
    throw invalid('model', spec, 'must have elements, or panels', spec.value);
  }
  // The model alone, as the editor of Grafana shows it.
  if (file.at('elements').exists && file.at('layout').exists) return readResource(file, file.at('uid'));
  // The answer of the interface of Grafana has the dashboard inside.
  const inner = file.at('dashboard');
  if (isClassic(inner)) return readClassic(inner, 'classic', inner.at('uid'));
  if (isClassic(file)) return readClassic(file, 'classic', file.at('uid'));
  throw invalid('not_grafana', file, 'must be a dashboard of Grafana', file.value);
}

function isClassic({ value }: Cursor): boolean {
  return (
    isJsonObject(value) &&
    CLASSIC_MEMBERS.some(
      name =>
        Array.isArray(ownMember(value, name)) ||
        (name === 'schemaVersion' && ownMember(value, name) !== undefined),
    )
  );
}

function requireFile(value: unknown): Json {
  if (!isJsonObject(value))
    throw invalid('not_an_object', new Cursor(undefined), 'must be a JSON object', value);
  if (nestsDeeper(value, MOST_LEVELS)) {
    const message = `A dashboard of Grafana must be nested at most ${MOST_LEVELS} levels deep; got more.`;
    throw new DashError('IMPORT_INVALID', message, { reason: 'limit', where: '' });
  }
  return value;
}

function invalid(reason: string, { pointer }: Cursor, expected: string, value: unknown): DashError {
  const place = pointer === '' ? 'The file' : `The file at ${pointer}`;
  const message = `${place} ${expected}; got ${displayValue(value)}.`;
  return new DashError('IMPORT_INVALID', message, { reason, where: pointer });
}

/** Data sources that the person who imports a file chooses. */
function inputsOf(file: Cursor): Map<string, Cursor> {
  const inputs = file.at('__inputs').items.filter(input => input.at('type').text === 'datasource');
  return new Map(inputs.map(input => [input.at('name').text ?? '', input.at('pluginId')]));
}

function offersOf(catalog: Catalog): Offers {
  const has = (type: string, member: string): boolean => {
    const properties = ownMember(catalog.items.get(type)?.[0]?.schema ?? {}, 'properties');
    return isJsonObject(properties) && ownMember(properties, member) !== undefined;
  };
  return {
    chartBy: has('chart', 'by'),
    chartThresholds: has('chart', 'thresholds'),
    metricThresholds: has('metric', 'thresholds'),
  };
}

/** A safe id from the name of the file, else from its title. */
function idOf({ name, title }: DashboardSource): string {
  const text = name.text ?? title.text ?? '';
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 64) || 'imported';
}
