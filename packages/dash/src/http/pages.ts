import { type Clock, type Random, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { DataSourceKind } from '../data/contract.ts';
import { DataSources } from '../data/sources.ts';
import type { JsonObject } from '../document/json.ts';
import type { DashError } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { DocumentListing } from '../reads/list.ts';
import type { ChartPainter } from '../render/drawing.ts';
import type { Markup } from '../render/markup.ts';
import { Assets } from '../web/assets.ts';
import { type Dashboard, openDashboard, type Patience } from '../web/dashboard.ts';
import { dashboardPage } from '../web/dashboard-page.ts';
import { DocumentWatch, type Fingerprint } from '../web/document-watch.ts';
import { errorPage } from '../web/error-page.ts';
import { listPage } from '../web/list-page.ts';
import { type PagePolicy, pagePolicy } from '../web/policy.ts';
import { settingsOf } from '../web/settings.ts';
import { eventStream } from './event-stream.ts';
import type { ItemsRequest } from './items-request.ts';
import { RequestError } from './request-error.ts';

export interface PagesOptions {
  readonly engine: DocumentEngine;
  /** Connection types whose queries are run; the built-in ones when absent. */
  readonly kinds?: readonly DataSourceKind[];
  readonly painter: ChartPainter;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly stopping?: AbortSignal;
}

/** A document as the page of it needs it. */
export interface DocumentAtRevision {
  readonly document: JsonObject;
  readonly revision?: string;
}

/** One page and the policy that it is sent with. */
export interface SentPage {
  readonly markup: Markup;
  readonly policy: PagePolicy;
}

/** The pages of a server and what they share: assets, sources, the painter of charts. */
export class Pages {
  readonly assets = new Assets();
  readonly #options: PagesOptions;
  readonly #clock: Clock;
  readonly #sources: DataSources;
  readonly #watch: DocumentWatch;

  constructor(options: PagesOptions) {
    const { clock = systemClock, kinds } = options;
    this.#options = options;
    this.#clock = clock;
    this.#sources = new DataSources(defined({ clock, kinds }));
    this.#watch = new DocumentWatch(clock);
  }

  /** @throws DashError when the document does not resolve. */
  async dashboard(opened: DocumentAtRevision, api: string, parameters: URLSearchParams): Promise<SentPage> {
    const settings = settingsOf(parameters);
    const dashboard = await this.open(
      opened.document,
      api,
      parameters,
      {},
      settings.renderAll ? 'whole' : 'first',
    );
    const { revision } = opened;
    return this.#send(policy =>
      dashboardPage(dashboard, { assets: this.assets, policy, api, revision, settings }),
    );
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
    const query = parameters.size === 0 ? '' : `?${parameters}`;
    return openDashboard(
      { engine, sources: this.#sources, painter, clock: this.#clock },
      defined({
        document,
        overrides: [...overrides, ...(asked.overrides ?? [])],
        time: asked.time ?? time,
        sizes: asked.sizes,
        only: asked.only,
        csvAddress: (id: string) => `${api}/items/${id}.csv${query}`,
      }),
      patience,
    );
  }

  /** Events of a document for a page that listens. @throws RequestError 503 when too many do. */
  events(key: string, fingerprint: Fingerprint): ReadableStream<Uint8Array> {
    if (this.#watch.isFull)
      throw new RequestError(503, 'Too many pages listen; close some, or try again later.');
    const { stopping = new AbortController().signal } = this.#options;
    return eventStream(this.#clock, stopping, send => this.#watch.listen(key, fingerprint, send));
  }

  /** A commit of this process: pages that listen hear of it at once. */
  documentsChanged(): void {
    this.#watch.poke();
  }

  list(documents: readonly DocumentListing[]): SentPage {
    return this.#send(policy => listPage(documents, this.assets, policy));
  }

  error(error: DashError): SentPage {
    return this.#send(policy => errorPage(error, this.assets, policy));
  }

  #send(render: (policy: PagePolicy) => Markup): SentPage {
    const policy = pagePolicy(this.#options.random ?? systemRandom);
    return { markup: render(policy), policy };
  }
}
