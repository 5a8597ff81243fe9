import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';

/** What the page tells of its transports. */
type Happening = 'ready' | 'failed' | 'stream' | 'data' | 'end' | 'closed';

/** The bytes of one transport, as a listener sees them. */
export interface Tap {
  received(bytes: Uint8Array): void;
  /** False: these bytes must not leave. */
  mayLeave(bytes: Uint8Array): boolean;
}

const taps: Tap[] = [];

/** Listens in on transports whose address has `tap=<the name answered>` in its query. */
export function listenIn(tap: Tap): string {
  return String(taps.push(tap) - 1);
}

/** What the page's script uses of its surroundings. */
interface PageGlobals {
  readonly WebTransport: new (
    url: string,
    options: object,
  ) => {
    readonly ready: Promise<unknown>;
    readonly closed: Promise<unknown>;
    createBidirectionalStream(): Promise<{
      readonly readable: ReadableStream<Uint8Array>;
      readonly writable: WritableStream<Uint8Array>;
    }>;
    close(): void;
  };
  happened(id: number, what: string, data: string): void;
  [command: string]: unknown;
}

/** In the page: real transports, told about by number. Runs there, so it uses nothing from outside. */
function inPage(hash: string): void {
  const page = globalThis as unknown as PageGlobals;
  type Transport = InstanceType<PageGlobals['WebTransport']>;
  type Entry = { transport: Transport; writer?: WritableStreamDefaultWriter<Uint8Array> };
  const entries = new Map<number, Entry>();
  const decode = (text: string) => Uint8Array.from(atob(text), character => character.charCodeAt(0));
  const encode = (bytes: Uint8Array) => btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
  const tell = (id: number, what: string, data = '') => page.happened(id, what, data);
  const serverCertificateHashes = [{ algorithm: 'sha-256', value: decode(hash) }];
  page['openTransport'] = (id: number, url: string) => {
    const transport = new page.WebTransport(url, { serverCertificateHashes });
    entries.set(id, { transport });
    transport.ready.then(
      () => tell(id, 'ready'),
      () => tell(id, 'failed'),
    );
    transport.closed
      .catch(() => {})
      .then(() => {
        entries.delete(id);
        tell(id, 'closed');
      });
  };
  page['openStream'] = async (id: number) => {
    const entry = entries.get(id);
    if (entry === undefined) return;
    try {
      const { readable, writable } = await entry.transport.createBidirectionalStream();
      entry.writer = writable.getWriter();
      tell(id, 'stream');
      const reader = readable.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read())
        tell(id, 'data', encode(read.value));
      tell(id, 'end');
    } catch {
      // the end of the transport is told
    }
  };
  page['sendBytes'] = (id: number, data: string) =>
    entries
      .get(id)
      ?.writer?.write(decode(data))
      .catch(() => {});
  page['closeWriter'] = (id: number) =>
    entries
      .get(id)
      ?.writer?.close()
      .catch(() => {});
  page['closeTransport'] = (id: number) => {
    entries.get(id)?.transport.close();
  };
}

/** One browser with one page whose WebTransport clients outside of it use. */
export class ChromiumTransports {
  readonly #browser: Browser;
  readonly #page: Page;
  readonly #site: Server;
  readonly #open = new Map<number, BridgedTransport>();
  #lastId = 0;

  private constructor(browser: Browser, page: Page, site: Server) {
    this.#browser = browser;
    this.#page = page;
    this.#site = site;
  }

  /** `hash`: SHA-256 of the only certificate that is trusted. */
  static async start(hash: Uint8Array): Promise<ChromiumTransports> {
    const browser = await Browser.start();
    const page = await browser.page();
    // A page that comes from this machine may connect to it, and is a secure context.
    const site = createServer((_request, response) => response.end('<!doctype html>')).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo; // listening on TCP
    await page.goto(`http://127.0.0.1:${port}/`);
    const transports = new ChromiumTransports(browser, page, site);
    await page.exposeFunction('happened', (id: number, what: Happening, data: string) =>
      transports.#happened(id, what, data),
    );
    await page.evaluate(inPage, Buffer.from(hash).toString('base64'));
    return transports;
  }

  async stop(): Promise<void> {
    await this.#browser.stop();
    await new Promise(resolve => this.#site.close(resolve));
  }

  /** A stand-in for the browser's `WebTransport`, for the parts that the stock client uses. */
  get constructorForClients(): new (
    url: string,
  ) => BridgedTransport {
    const open = (url: string, transport: BridgedTransport) => this.#opened(url, transport);
    return class extends BridgedTransport {
      constructor(url: string) {
        super();
        open(url, this);
      }
    };
  }

  #opened(url: string, transport: BridgedTransport): void {
    const id = ++this.#lastId;
    this.#open.set(id, transport);
    transport.tap = taps[Number(new URL(url).searchParams.get('tap') || -1)] ?? null;
    transport.call = (name, ...args) => {
      const script = `${name}(${[id, ...args].map(value => JSON.stringify(value)).join()})`;
      // Not waited for in the page; a page that closes takes its transports along.
      this.#page.evaluate(`void ${script}`).catch(() => {});
    };
    transport.call('openTransport', url);
  }

  #happened(id: number, what: Happening, data: string): void {
    this.#open.get(id)?.happened(what, Buffer.from(data, 'base64'));
    if (what === 'closed') this.#open.delete(id);
  }
}

/** One transport of the page. */
class BridgedTransport {
  call: (name: string, ...args: readonly string[]) => void = () => {};
  tap: Tap | null = null;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closed = Promise.withResolvers<void>();
  readonly #stream = Promise.withResolvers<void>();
  #incoming: ReadableStreamDefaultController<Uint8Array> | null = null;
  #ended = false;

  constructor() {
    this.#ready.promise.catch(() => {});
    this.#stream.promise.catch(() => {});
  }

  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async createBidirectionalStream(): Promise<{
    readable: ReadableStream<Uint8Array>;
    writable: WritableStream<Uint8Array>;
  }> {
    this.call('openStream');
    await this.#stream.promise;
    const readable = new ReadableStream<Uint8Array>({
      start: controller => {
        this.#incoming = controller;
      },
    });
    const writable = new WritableStream<Uint8Array>({
      write: bytes => {
        if (this.tap?.mayLeave(bytes) !== false)
          this.call('sendBytes', Buffer.from(bytes).toString('base64'));
      },
      close: () => this.call('closeWriter'),
    });
    return { readable, writable };
  }

  close(): void {
    this.call('closeTransport');
  }

  happened(what: Happening, bytes: Uint8Array): void {
    if (what === 'ready') this.#ready.resolve();
    else if (what === 'stream') this.#stream.resolve();
    else if (what === 'data') {
      this.tap?.received(bytes);
      if (!this.#ended) this.#incoming?.enqueue(bytes);
    } else if (what === 'end') this.#end();
    else {
      const error = new Error(what);
      this.#ready.reject(error);
      this.#stream.reject(error);
      if (what === 'failed') return;
      this.#end();
      this.#closed.resolve();
    }
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#incoming?.close();
  }
}
