import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@msg/foundation/clock';
import type { Row } from '#src/data/contract.ts';
import type { DataSourceKind } from '#src/data/source.ts';
import { DataSources } from '#src/data/sources.ts';
import { jsonEqual } from '#src/document/canonical.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { formatPointer, valueAt } from '#src/document/pointer.ts';
import { type Imported, importGrafana } from '#src/import/grafana.ts';
import type { ImportReport } from '#src/import/report.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import type { ChartPainter } from '#src/render/drawing.ts';
import { renderPicture } from '#src/render/picture.ts';
import type { ResolvedNode } from '#src/resolve/tree.ts';
import { openDashboard } from '#src/web/dashboard.ts';

const FOLDER = fileURLToPath(new URL('corpus/', import.meta.url));
const OF_THE_REPOSITORY = fileURLToPath(new URL('../../../../ops/grafana/', import.meta.url));
const engine = openDocumentEngine();

/** A dashboard of Grafana, with where its expectation stands. */
export interface CorpusFile {
  readonly name: string;
  readonly path: string;
  readonly expectation: string;
}

/** The dashboards that are written here, and those of the repository. */
export const CORPUS: readonly CorpusFile[] = [...filesOf(FOLDER), ...filesOf(OF_THE_REPOSITORY)];

/** The JSON files of a folder. */
export function filesOf(folder: string): CorpusFile[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.json'));
  return names.sort().map(file => {
    const name = basename(file, '.json');
    return { name, path: join(folder, file), expectation: join(FOLDER, `${name}.report.txt`) };
  });
}

/** A file and its document, by the shipped types. */
export function importFile({ path }: CorpusFile): { readonly file: Json; readonly imported: Imported } {
  const file: Json = JSON.parse(readFileSync(path, 'utf8'));
  return { file, imported: importGrafana(file, { catalog: engine.catalog }) };
}

/** Leaves of a file that no entry of the report is about, and those that two entries of one place are about. */
export function unreportedLeaves(file: Json, { entries }: ImportReport): string[] {
  const places = entries.map(({ where }) => where);
  const covered = new Set(places);
  const wrong = places.filter((place, at) => places.indexOf(place) !== at);
  const visit = (value: Json, path: readonly string[]): void => {
    if (covered.has(formatPointer(path))) return;
    const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    if (inner.length === 0) wrong.push(formatPointer(path));
    for (const [key, child] of inner) visit(child, [...path, key]);
  };
  visit(file, []);
  return wrong;
}

/** Entries that are not true: a value that is kept but does not stand where the report says, a place that is not there. */
export function untrueEntries(file: Json, { document, report }: Imported): string[] {
  const at = (root: Json, pointer: string): Json | undefined => {
    const steps = pointer.split('/').slice(1);
    return valueAt(
      root,
      steps.map(step => step.replaceAll('~1', '/').replaceAll('~0', '~')),
    );
  };
  return report.entries
    .filter(({ where, what, why, to }) => {
      const [value, result] = [at(file, where), to === undefined ? undefined : at(document, to)];
      if (value === undefined || (to !== undefined && result === undefined)) return true;
      if (what === 'kept' && to !== undefined) return result === undefined || !jsonEqual(value, result);
      return why === undefined || why === '';
    })
    .map(({ where, what }) => `${what} ${where}`);
}

/** The report as its expectation is written: equal entries of numbered places are one line. */
export function reportText(imported: Imported): string {
  const { report, model } = imported;
  const numbered = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*');
  const lines = new Map<string, number>();
  for (const { where, what, why, to } of report.entries) {
    const place = to === undefined ? '' : ` -> ${numbered(to)}`;
    const line = `${what} ${numbered(where)}${place}${why === undefined ? '' : `: ${why}`}`;
    lines.set(line, (lines.get(line) ?? 0) + 1);
  }
  const { kept, changed, lost } = report;
  const head = `${model}: ${kept} kept, ${changed} changed, ${lost} lost`;
  return [head, ...[...lines].map(([line, count]) => `${count} ${line}`), ''].join('\n');
}

/** Rows that every query of the corpus gets: three series with five points each. */
function answerOf(kind: string): Row[] {
  return ['a', 'b', 'c'].flatMap((series, at) =>
    [0, 1, 2, 3, 4].map(minute => {
      const time = `2026-01-02T03:0${minute}:00Z`;
      const value = (at + 1) * (minute + 1);
      if (kind === 'sql')
        return {
          time,
          day: time,
          metric: series,
          amount: value,
          total: value,
          region: series,
          orders: value,
        };
      return { time, value, series, query: series, instance: `host-${at}` };
    }),
  );
}

const answering = (type: string): DataSourceKind => ({
  type,
  atHand: true,
  timed: false,
  open: () => ({ ask: () => ({ columns: [], rows: answerOf(type) }) }),
});

/** States of the items of a document that is drawn with rows for every query, by node id. */
export async function drawnStates(document: JsonObject, painter: ChartPainter): Promise<Map<string, string>> {
  const sources = new DataSources({
    rowsError: engine.rowsError,
    kinds: ['prometheus', 'sql'].map(answering),
  });
  const dashboard = await openDashboard(
    { engine, sources, painter, clock: systemClock },
    { document, overrides: [], csvAddress: id => `/${id}.csv` },
    'whole',
  );
  // However long a busy machine takes to draw them.
  const views = new Map(dashboard.source.views);
  for (const [id, view] of dashboard.later) views.set(id, await view);
  const html = String(renderPicture({ ...dashboard.source, views }).body);
  const states = [...html.matchAll(/data-node="([^"]+)"[^>]*? data-state="(\w+)"/g)];
  return new Map(states.map(match => [match[1] ?? '', match[2] ?? '']));
}

/** Ids of the items of a document that show something. */
export function itemIds(document: JsonObject): string[] {
  const ids: string[] = [];
  const visit = ({ id, role, children = [] }: ResolvedNode): void => {
    if (role === 'leaf') ids.push(id);
    for (const child of children) visit(child);
  };
  visit(engine.resolve(document).root);
  return ids;
}
