import { hiddenSeries } from './legend.ts';
import { requestQuery } from './settings.ts';
import type { Swap } from './swap.ts';

/** One line of the stream (page and review 1.1). */
interface ItemLine {
  readonly id: string;
  readonly html: string;
  readonly css?: string;
  readonly about?: string;
  readonly errors?: Readonly<Record<string, object>>;
}

/** A failure of the whole document. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** How far the width of a chart may be from the one that it was drawn for. */
const FITS = 0.2;

/** Asks the server for items and puts them on the page: of each item what was asked for last. */
export class Items {
  readonly #api: string;
  readonly #swap: Swap;
  readonly #failed: (failure: Failure | undefined) => void;
  /** Ends what an older state of the address asked for. */
  #running = new AbortController();
  #requests = 0;
  /** Number of the newest request for each item alone. */
  readonly #newest = new Map<string, number>();

  constructor(api: string, swap: Swap, failed: (failure: Failure | undefined) => void) {
    this.#api = api;
    this.#swap = swap;
    this.#failed = failed;
  }

  /** The whole document as the address says. */
  all(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    this.#newest.clear();
    return this.#ask({});
  }

  /** These items alone. */
  some(ids: readonly string[]): Promise<void> {
    return ids.length === 0 ? Promise.resolve() : this.#ask({ ids });
  }

  /** What the first answer left out: items that wait for rows, and charts drawn for another width. */
  missing(): Promise<void> {
    const waiting = [...document.querySelectorAll('[data-leaf][data-state=loading]')];
    const charts = [...document.querySelectorAll('.t-chart[data-state=ready]')].filter(chart => !fits(chart));
    return this.some([...waiting, ...charts].map(item => item.getAttribute('data-node') ?? ''));
  }

  async #ask(body: { readonly ids?: readonly string[] }): Promise<void> {
    const { signal } = this.#running;
    const request = ++this.#requests;
    for (const id of body.ids ?? []) this.#newest.set(id, request);
    try {
      const answer = await fetch(`${this.#api}/items?${requestQuery()}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, sizes: sizes(), hidden: hiddenSeries() }),
        signal,
      });
      this.#failed(answer.ok ? undefined : ((await answer.json()) as Failure));
      if (answer.ok) for await (const line of linesOf(answer)) this.#take(line, request);
    } catch (error) {
      if (!signal.aborted && !(error instanceof TypeError)) throw error; // the live connection shows that the server is away
    }
  }

  #take({ id, html, css, about = '', errors }: ItemLine, request: number): void {
    if ((this.#newest.get(id) ?? 0) > request) return; // a newer answer is there, or on its way
    if (css === undefined) this.#swap.item(id, html);
    else if (Object.keys(errors ?? {}).length > 0) this.#swap.errors(html);
    else this.#swap.whole(html, css, about);
  }
}

async function* linesOf(answer: Response): AsyncGenerator<ItemLine> {
  if (answer.body === null) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ItemLine;
  }
}

/** The cells of charts as they are. */
function sizes(): Record<string, { width: number; height: number }> {
  const charts = [...document.querySelectorAll('.t-chart')];
  return Object.fromEntries(
    charts.map(chart => [chart.getAttribute('data-node') ?? '', { width: chart.clientWidth, height: 240 }]),
  );
}

function fits(chart: Element): boolean {
  const drawn = chart.querySelector<SVGSVGElement>('.plot svg')?.viewBox.baseVal.width ?? 0;
  return drawn === 0 || Math.abs(chart.clientWidth - drawn) <= FITS * drawn;
}
