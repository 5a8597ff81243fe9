import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { DataSourceKind } from '../data/source.ts';
import { DataSources, type QuerySettings } from '../data/sources.ts';
import type { JsonObject } from '../document/json.ts';
import type { DashError } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { ChartPainter } from '../render/drawing.ts';
import type { Markup } from '../render/markup.ts';
import type { HistoryEntry } from '../store/contract.ts';
import { Assets } from '../web/assets.ts';
import { type Compared, type CompareRequest, compareDocuments } from '../web/compare/compare.ts';
import type { SideParts } from '../web/compare/sides.ts';
import { wholePages } from '../web/compare/whole-pages.ts';
import { type Dashboard, openDashboard, type Patience } from '../web/dashboard.ts';
import { dashboardPage } from '../web/dashboard-page.ts';
import { DocumentWatch, type Fingerprint } from '../web/document-watch.ts';
import { type ErrorPlace, errorPage } from '../web/error-page.ts';
import { type HistoryPageParts, historyPage } from '../web/history-page.ts';
import { type ListPageParts, listPage } from '../web/list-page.ts';
import { LiveRows } from '../web/live-rows.ts';
import { newPage, type Template } from '../web/new-page.ts';
import type { DocumentHead, DocumentLinks } from '../web/page-head.ts';
import { type PagePolicy, pagePolicy } from '../web/policy.ts';
import { requestParameters, settingsOf } from '../web/settings.ts';
import { eventStream } from './event-stream.ts';
import type { ItemsRequest } from './items-request.ts';
import { RequestError } from './request-error.ts';

export interface PagesOptions {
  readonly engine: DocumentEngine;
  /** Connection types whose queries are run; the built-in ones when absent. */
  readonly kinds?: readonly DataSourceKind[];
  /** What may be asked, and with what; nothing when absent. */
  readonly queries?: QuerySettings;
  readonly painter: ChartPainter;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly stopping?: AbortSignal;
  /** Calls back when a document may have changed, until the answered function is called. */
  readonly watch?: (onChange: () => void) => () => void;
}

/** How long the queries of a page that was sent are kept under way, until its script asks for them. */
const LINGER_MS = 3_000;

/** A document as the page of it needs it. */
export interface DocumentAtRevision {
  readonly document: JsonObject;
  readonly revision?: string;
  /** The commit of the revision, where the store keeps history. */
  readonly commit?: HistoryEntry;
  /** Of a document of a store. */
  readonly links?: DocumentLinks;
  /** It was asked for at a revision. */
  readonly old?: { readonly isCurrent: boolean };
}

/** One page and the policy that it is sent with. */
export interface SentPage {
  readonly markup: Markup;
  readonly policy: PagePolicy;
  /** 200 where it is absent. */
  readonly status?: number;
}

/** The pages of a server and what they share: assets, sources, the painter of charts. */
export class Pages {
  readonly assets = new Assets();
  readonly #options: PagesOptions;
  readonly #clock: Clock;
  readonly #sources: DataSources;
  readonly #watch: DocumentWatch;
  readonly #live: LiveRows;

  constructor(options: PagesOptions) {
    const { engine, clock = systemClock, kinds, queries, watch } = options;
    this.#options = options;
    this.#clock = clock;
    this.#sources = new DataSources(defined({ rowsError: engine.rowsError, clock, kinds, ...queries }));
    options.stopping?.addEventListener('abort', () => void this.#sources.close(), { once: true });
    this.#watch = new DocumentWatch(clock, watch);
    this.#live = new LiveRows(this.#sources, (id, ids) => this.#watch.itemsChanged(id, ids));
  }

  /** @throws DashError when the document does not resolve. */
  async dashboard(opened: DocumentAtRevision, api: string, parameters: URLSearchParams): Promise<SentPage> {
    const settings = settingsOf(parameters);
    const leaving = new AbortController();
    const patience = settings.renderAll ? 'whole' : 'first';
    const asked = { leaving: leaving.signal };
    const dashboard = await this.open(opened.document, api, parameters, asked, patience);
    this.#clock.setTimeout(() => leaving.abort(), LINGER_MS);
    const { links, old } = opened;
    const head = this.headOf(opened);
    return this.#send(policy =>
      dashboardPage(dashboard, defined({ assets: this.assets, policy, api, head, links, old, settings })),
    );
  }

  /** What the head of a page says of a document. */
  headOf({ revision, commit }: DocumentAtRevision): DocumentHead {
    return defined({ revision, commit, now: this.#clock.now() });
  }

  /**
   * A document with its rows and drawings, as the address and the body of a request say.
   * @throws DashError when the document does not resolve.
   */
  open(
    document: JsonObject,
    api: string,
    parameters: URLSearchParams,
    asked: ItemsRequest,
    patience: Patience,
  ): Promise<Dashboard> {
    const { engine, painter } = this.#options;
    const { overrides, time } = settingsOf(parameters);
    const asking = requestParameters(parameters);
    const query = asking.size === 0 ? '' : `?${asking}`;
    return openDashboard(
      { engine, sources: this.#sources, painter: hiding(painter, asked.hidden), clock: this.#clock },
      defined({
        document,
        overrides: [...overrides, ...(asked.overrides ?? [])],
        time: asked.time ?? time,
        sizes: asked.sizes,
        only: asked.only,
        leaving: asked.leaving,
        csvAddress: (id: string) => `${api}/items/${id}.csv${query}`,
      }),
      patience,
    );
  }

  /** Two states of a document with everything that a person is shown about them. */
  compare(request: CompareRequest): Promise<Compared> {
    return compareDocuments(this.#sides, request);
  }

  /** Both pages of a comparison as a whole. */
  wholePages(compared: Compared): Promise<{ readonly html: Markup; readonly css: string }> {
    return wholePages(this.#sides, compared);
  }

  /** A page of a proposal, which loads no pictures of elsewhere. */
  review(render: (parts: PageParts) => Markup): SentPage {
    const policy = pagePolicy(this.#options.random ?? systemRandom, 'own');
    return { markup: render(this.#around(policy)), policy };
  }

  get #sides(): SideParts {
    const { engine, painter } = this.#options;
    return { engine, painter, sources: this.#sources };
  }

  /**
   * Events of a document for a page that listens.
   * @param read reads its present content.
   * @throws RequestError 503 when too many do.
   */
  events(key: string, fingerprint: Fingerprint, read: () => Promise<JsonObject>): ReadableStream<Uint8Array> {
    if (this.#watch.isFull)
      throw new RequestError(503, 'Too many pages listen; close some, or try again later.');
    const { stopping = new AbortController().signal, engine } = this.#options;
    return eventStream(this.#clock, stopping, send => {
      const release = this.#live.listen(key);
      const stop = this.#watch.listen(key, fingerprint, event => {
        if (event.type === 'document')
          void this.#live.follow(key, event.revision, async () => engine.resolve(await read()));
        send(event);
      });
      return () => {
        stop();
        release();
      };
    });
  }

  /** A commit of this process: pages that listen hear of it at once. */
  documentsChanged(): void {
    this.#watch.poke();
  }

  list(parts: Omit<ListPageParts, keyof PageParts>): SentPage {
    return this.#send(policy => listPage({ ...parts, ...this.#around(policy) }));
  }

  create(templates: readonly Template[]): SentPage {
    return this.#send(policy => newPage(templates, this.assets, policy));
  }

  history(parts: Omit<HistoryPageParts, keyof PageParts>): SentPage {
    return this.#send(policy => historyPage({ ...parts, ...this.#around(policy) }));
  }

  error(error: DashError, place?: ErrorPlace): SentPage {
    return this.#send(policy => errorPage(error, defined({ ...this.#around(policy), place })));
  }

  #around(policy: PagePolicy): PageParts {
    return { assets: this.assets, policy, now: this.#clock.now() };
  }

  #send(render: (policy: PagePolicy) => Markup): SentPage {
    const policy = pagePolicy(this.#options.random ?? systemRandom);
    return { markup: render(policy), policy };
  }
}

/** What every page is made with. */
export interface PageParts {
  readonly assets: Assets;
  readonly policy: PagePolicy;
  /** Unix milliseconds. */
  readonly now: number;
}

/** A painter that leaves out the series that legends have switched off. */
function hiding(painter: ChartPainter, hidden: ItemsRequest['hidden']): ChartPainter {
  if (hidden === undefined) return painter;
  return { draw: request => painter.draw(defined({ ...request, hidden: hidden.get(request.nodeId) })) };
}
