import { defined } from '@msg/foundation/json';
import type { Hono } from 'hono';
import { undoOps } from '../changeset/undo.ts';
import { emptyPage } from '../document/empty-page.ts';
import type { JsonObject } from '../document/json.ts';
import { titleOf } from '../document/title.ts';
import { DashError } from '../errors.ts';
import { type HistoryWithWords, historyWithWords } from '../reads/changes.ts';
import { listDashboards } from '../reads/list.ts';
import { findTemplate, templateNames } from '../reads/templates.ts';
import { dashTrailers } from '../store/commit-message.ts';
import { type DocumentStore, notFound } from '../store/contract.ts';
import { isExternal } from '../store/revision.ts';
import { readStored } from '../store/stored-document.ts';
import type { ShownCommit } from '../web/commit-row.ts';
import type { Template } from '../web/new-page.ts';
import type { ChangeParts } from './change-routes.ts';
import { openComparison } from './comparison.ts';
import { openProposals } from './document-sources.ts';
import { placeOfError } from './error-place.ts';
import type { SentPage } from './pages.ts';
import { coded, RequestError } from './request-error.ts';
import { asPage, type Env, type Handler, idOf, type Request, route } from './routes.ts';

/** Commits on one page of a history. */
const PART = 50;
const MOST_PARTS = 10_000;

/** The pages of a store besides those of its dashboards: list, creation, history (page and review 2). */
export function addPageRoutes(app: Hono<Env>, parts: ChangeParts, hasList: boolean): void {
  const { pages } = parts;
  if (hasList) route(app, '/', { GET: asPage(request => listPage(parts, request.req.query('q') ?? '')) });
  let templates: Promise<Template[]> | undefined;
  route(app, '/new', {
    GET: asPage(async () => {
      templates ??= readTemplates(parts);
      return pages.create(await templates);
    }),
  });
  route(app, '/d/:id/history', {
    GET: aroundErrors(parts, request => historyPage(parts, idOf(request), partOf(request))),
  });
  route(app, '/d/:id/compare', {
    GET: aroundErrors(parts, request => {
      const [from, to] = ['from', 'to'].map(side => request.req.query(side));
      const isWhole = request.req.query('$view') === 'page';
      return openComparison(parts, idOf(request), { from, to, isWhole });
    }),
  });
}

/** A page of a dashboard; when it cannot be shown, with the ways on. */
function aroundErrors(
  { pages, store, engine }: ChangeParts,
  open: (request: Request) => Promise<SentPage>,
): Handler {
  return asPage(async request => {
    try {
      return await open(request);
    } catch (failure) {
      const { error, status } = coded(failure);
      if (status >= 500 || failure instanceof RequestError) throw failure;
      return { ...pages.error(error, await placeOfError(store, engine, idOf(request), error)), status };
    }
  });
}

async function listPage({ pages, store, proposals }: ChangeParts, filter: string): Promise<SentPage> {
  const { dashboards } = await listDashboards(store);
  const newest = await store.newestEntries();
  const creations = proposals
    .list()
    .filter(({ state, request }) => state.kind === 'open' && request.create === true)
    .map(({ name }) => name);
  return pages.list({
    dashboards: dashboards.map(({ id, title }) =>
      defined({ id, title, newest: newest.get(id), proposals: openProposals(proposals, id) }),
    ),
    hasHistory: store.capabilities.has('history'),
    creations,
    filter: filter.slice(0, 200),
  });
}

/** The shipped examples, each with the changeset that makes it of an empty page. */
function readTemplates({ engine }: ChangeParts): Promise<Template[]> {
  const read = async (name: string): Promise<Template> => {
    const document = (await findTemplate(name)) as JsonObject;
    const id = String((document['manifest'] as JsonObject)['id']);
    const { ops } = undoOps(id, emptyPage(id), document, engine.types);
    return { name, document, ops };
  };
  return templateNames().then(names => Promise.all(names.map(read)));
}

async function historyPage(parts: ChangeParts, id: string, part: number): Promise<SentPage> {
  const { pages, store } = parts;
  const isStored = await store.exists(id);
  const commits = store.capabilities.has('history') ? await commitsOf(parts, id, part) : undefined;
  if (!isStored && commits === undefined) throw notFound(id);
  const current = isStored && store.capabilities.has('revisions') ? await store.revision(id) : undefined;
  return pages.history(
    defined({
      id,
      title: (isStored ? await storedTitle(store, id) : undefined) ?? id,
      store: store.kind,
      current,
      isDeleted: !isStored,
      isEdited: current !== undefined && isExternal(current),
      commits: commits?.slice(0, PART),
      part,
      hasOlder: (commits?.length ?? 0) > PART,
    }),
  );
}

/** One more than a page has, if there are as many. */
async function commitsOf({ store, engine }: ChangeParts, id: string, part: number): Promise<ShownCommit[]> {
  const skip = (part - 1) * PART;
  const entries = await historyWithWords(store, engine.types, id, { skip, limit: PART + 1 });
  const shown = (entry: HistoryWithWords, index: number): ShownCommit => ({
    ...entry,
    isFirst: index === entries.length - 1 && entries.length <= PART && entry.gone !== true,
    trailers: dashTrailers(entry.message),
  });
  return entries.map(shown);
}

async function storedTitle(store: DocumentStore, id: string): Promise<string | undefined> {
  try {
    return titleOf(readStored(id, (await store.load(id)).bytes).document);
  } catch (error) {
    if (error instanceof DashError) return undefined;
    throw error;
  }
}

function partOf(request: Request): number {
  const text = request.req.query('part') ?? '1';
  if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= MOST_PARTS) return Number(text);
  throw new RequestError(400, `part must be a number from 1 to ${MOST_PARTS}; got "${text.slice(0, 20)}".`);
}
