import { type Resolved, textFlag, texts, UsageError, valueFlag } from '@msg/command-line';
import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { DataSources } from '../data/sources.ts';
import { display } from '../document/display.ts';
import type { JsonObject } from '../document/json.ts';
import { DashError, type ErrorEnvelope } from '../errors.ts';
import { type DocumentEngine, openDocumentEngine } from '../reads/document-engine.ts';
import type { ChartPainter } from '../render/drawing.ts';
import { type Dashboard, openDashboard } from '../web/dashboard.ts';
import { windowOf } from '../web/settings.ts';
import { overrideOf, storedDocument } from './engine-commands.ts';
import type { DashIo } from './io.ts';
import { QUERY_SETTINGS, querySettings } from './query-settings.ts';
import { RESOLVE_SETTINGS, storeOf } from './settings.ts';

/** Flags of the commands that make a file of a dashboard with its rows. */
export const STILL_SETTINGS = {
  ...RESOLVE_SETTINGS,
  ...QUERY_SETTINGS,
  set: valueFlag('--set', texts, [], 'override a value', { placeholder: 'address=value' }),
  theme: textFlag('--theme', 'scheme', 'light or dark'),
  time: textFlag('--time', 'span', 'span of the queries that name none: 24h, or <from>/<to> in ISO 8601; 6h'),
} as const;

/** A stored document with all its rows and drawings. */
export interface Still {
  readonly document: JsonObject;
  readonly revision: string | undefined;
  readonly dashboard: Dashboard;
  readonly engine: DocumentEngine;
}

/**
 * Opens a stored document, waits for all its rows and drawings, and hands it to `use`. What an item could not show is
 * told on standard error; it never fails the command.
 * @param painter draws the charts of the page.
 * @throws DashError when the document does not resolve, or an override is wrong.
 */
export async function withStill<T>(
  id: string,
  settings: Resolved<typeof STILL_SETTINGS>,
  io: DashIo,
  painter: ChartPainter,
  use: (still: Still) => Promise<T>,
): Promise<T> {
  const store = storeOf(settings);
  const time = checkedTime(settings.time);
  const { schemas, requireSecrets } = settings;
  const queries = await querySettings(settings, io);
  const engine = openDocumentEngine(schemas, { requireSecrets });
  const document = await storedDocument(store, id);
  const revision = await store.revision?.(id);
  const sources = new DataSources({ rowsError: engine.rowsError, clock: systemClock, ...queries });
  try {
    const opened = await openDashboard(
      { engine, sources, painter, clock: systemClock },
      { document, overrides: settings.set.map(overrideOf), ...defined({ time }), csvAddress: () => '' },
      'whole',
    );
    const dashboard = await settled(opened);
    for (const { code, message, details } of dashboard.source.errors.values())
      throw new DashError(code, message, details);
    tellErrors(dashboard, io);
    return await use({ document, revision, dashboard, engine });
  } finally {
    await sources.close();
  }
}

/** For files in which no chart of the page stands. */
export const UNDRAWN: ChartPainter = { draw: async () => ({ html: '' }) };

/** The dashboard when everything has come, however long a query may take. */
async function settled(dashboard: Dashboard): Promise<Dashboard> {
  const views = new Map(dashboard.source.views);
  for (const [id, view] of dashboard.later) views.set(id, await view);
  return { ...dashboard, source: { ...dashboard.source, views }, later: new Map() };
}

function tellErrors({ source }: Dashboard, io: DashIo): void {
  for (const [id, { data, error: ownError }] of source.views) {
    const error: ErrorEnvelope | undefined = data?.state === 'error' ? data.error : ownError;
    if (error !== undefined) io.err(`dash: ${display(id)}: ${error.code}: ${error.message}\n`);
  }
}

/** @throws UsageError for a text that is not a span of time. */
function checkedTime(text: string | undefined): string | undefined {
  if (text === undefined || windowOf(text, systemClock.now()) !== undefined) return text;
  const message = `--time must be a span such as 24h, or <from>/<to> in ISO 8601; got "${display(text)}"`;
  throw new UsageError(message, { flag: '--time' });
}

/** A scheme of colours. @throws UsageError */
export function schemeOf(text: string | undefined): 'light' | 'dark' | undefined {
  if (text === undefined || text === 'light' || text === 'dark') return text;
  throw new UsageError(`--theme must be light or dark; got "${display(text)}"`, { flag: '--theme' });
}

/** What the head of a file says of its document. */
export const headOf = ({ revision }: Still) => defined({ revision, now: systemClock.now() });
