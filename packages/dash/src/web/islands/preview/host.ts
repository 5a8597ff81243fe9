/**
 * The view's side of MCP Apps, 2026-01-26: JSON-RPC 2.0 over messages between this page and the window around it. Only
 * what this page says and hears; the official class alone is larger than the whole page may be.
 */
type Params = Readonly<Record<string, unknown>>;

interface Message {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
}

/** What this page is told; the keys are methods of notifications. */
type Notices = Readonly<Record<string, (params: Params) => void>>;

/** What a host offers, and how it looks. */
export interface HostFacts {
  readonly abilities: Params;
  readonly context: Params;
}

const VERSION = '2026-01-26';
const UNKNOWN_METHOD = -32_601;

export const isRecord = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The host of this page, until it tears the page down. */
export class Host {
  readonly #notices: Notices;
  readonly #leave: () => void;
  readonly #waiting = new Map<number, (result: Params | undefined) => void>();
  readonly #hear = (event: MessageEvent): void => {
    // Other frames of the host may post, too; they are not the host.
    if (event.source === window.parent && isRecord(event.data)) this.#take(event.data);
  };
  #next = 1;
  #isGone = false;

  /** @param leave What is to be done before the page is taken away. */
  constructor(notices: Notices, leave: () => void) {
    this.#notices = notices;
    this.#leave = leave;
    window.addEventListener('message', this.#hear);
  }

  /** Introduces this page; undefined where the host refuses. */
  async connect(): Promise<HostFacts | undefined> {
    const appInfo = { name: 'dash preview', version: '1' };
    const told = await this.ask('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion: VERSION });
    if (told === undefined) return undefined;
    this.tell('ui/notifications/initialized', {});
    const { hostCapabilities, hostContext } = told;
    return {
      abilities: isRecord(hostCapabilities) ? hostCapabilities : {},
      context: isRecord(hostContext) ? hostContext : {},
    };
  }

  /** Asks the host; undefined where it refuses. */
  ask(method: string, params: Params): Promise<Params | undefined> {
    const id = this.#next++;
    return new Promise(resolve => {
      this.#waiting.set(id, resolve);
      this.#post({ id, method, params });
    });
  }

  tell(method: string, params: Params): void {
    this.#post({ method, params });
  }

  #take({ jsonrpc, id, method, params, result }: Message): void {
    if (jsonrpc !== '2.0') return;
    if (typeof method === 'string') {
      if (id === undefined) this.#notices[method]?.(isRecord(params) ? params : {});
      else this.#reply(id, method);
    } else if (typeof id === 'number') {
      this.#waiting.get(id)?.(isRecord(result) ? result : undefined);
      this.#waiting.delete(id);
    }
  }

  #reply(id: unknown, method: string): void {
    if (method === 'ping') this.#post({ id, result: {} });
    else if (method === 'ui/resource-teardown') this.#end(id);
    else this.#post({ id, error: { code: UNKNOWN_METHOD, message: 'Method not found' } });
  }

  /** Nothing is heard, said or shown any more. */
  #end(id: unknown): void {
    this.#leave();
    this.#post({ id, result: {} });
    this.#isGone = true;
    this.#waiting.clear();
    window.removeEventListener('message', this.#hear);
  }

  /** The window around this page can be of any origin, and nothing that is said is a secret of it. */
  #post(message: object): void {
    if (!this.#isGone) window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }
}
