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
import { openDashboard } from '../web/dashboard.ts';
import { dashboardPage } from '../web/dashboard-page.ts';
import { errorPage } from '../web/error-page.ts';
import { listPage } from '../web/list-page.ts';
import { type PagePolicy, pagePolicy } from '../web/policy.ts';
import { settingsOf } from '../web/settings.ts';

export interface PagesOptions {
  readonly engine: DocumentEngine;
  /** Connection types whose queries are run; the built-in ones when absent. */
  readonly kinds?: readonly DataSourceKind[];
  readonly painter: ChartPainter;
  readonly clock?: Clock;
  readonly random?: Random;
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

  constructor(options: PagesOptions) {
    const { clock = systemClock, kinds } = options;
    this.#options = options;
    this.#clock = clock;
    this.#sources = new DataSources(defined({ clock, kinds }));
  }

  /** @throws DashError when the document does not resolve. */
  async dashboard(opened: DocumentAtRevision, api: string, parameters: URLSearchParams): Promise<SentPage> {
    const { engine, painter } = this.#options;
    const { overrides, time, renderAll, scheme } = settingsOf(parameters);
    const dashboard = await openDashboard(
      { engine, sources: this.#sources, painter, clock: this.#clock },
      { document: opened.document, overrides, time, csvAddress: id => `${api}/items/${id}.csv` },
      renderAll ? 'whole' : 'first',
    );
    const { revision } = opened;
    return this.#send(policy =>
      dashboardPage(dashboard, { assets: this.assets, policy, api, revision, scheme }),
    );
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
