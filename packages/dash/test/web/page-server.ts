import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { DATA_SOURCE_KINDS } from '#src/data/kinds.ts';
import type { QuerySettings } from '#src/data/sources.ts';
import { canonicalBytes, canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { HttpServer } from '#src/http/server.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { Charts } from '#src/render/chart/charts.ts';
import { Painter } from '#src/render/chart/painter.ts';
import type { DocumentStore } from '#src/store/contract.ts';
import { type KINDS, storeAt } from '../store/stores.ts';
import { ScriptedSource, scriptedSchemas } from './scripted.ts';

/** What takes ten seconds and more, such as the limit of a query, is not reached on any machine. */
const PATIENT_CLOCK: Clock = {
  ...systemClock,
  setTimeout: (callback, ms, keepAlive) =>
    systemClock.setTimeout(callback, ms >= 10_000 ? ms * 1_000 : ms, keepAlive),
};

/** A thread of drawings in which charts whose names begin with "crash" end it. */
const CRASHING = new URL('./crashing-charts.mjs', import.meta.url);

/** A clock that can be set forward, and whose timers do not hear of it. */
class SetClock {
  #aheadMs = 0;
  readonly clock: Clock = {
    ...PATIENT_CLOCK,
    now: () => systemClock.now() + this.#aheadMs,
    monotonic: () => systemClock.monotonic() + this.#aheadMs,
  };

  forward(ms: number): void {
    this.#aheadMs += ms;
  }
}

/** A server with a store of its own, the source of the tests and types of each role. */
export class PageServer {
  readonly source: ScriptedSource;
  readonly store: DocumentStore;
  readonly url: string;
  readonly #http: HttpServer;
  readonly #time: SetClock;
  readonly #folders: readonly string[];

  private constructor(
    http: HttpServer,
    store: DocumentStore,
    source: ScriptedSource,
    time: SetClock,
    folders: readonly string[],
  ) {
    this.#http = http;
    this.#time = time;
    this.store = store;
    this.source = source;
    this.url = http.url;
    this.#folders = folders;
  }

  static async start(
    documents: readonly JsonObject[],
    kind: (typeof KINDS)[number] = 'fs',
    queries: QuerySettings = {},
  ): Promise<PageServer> {
    const root = await mkdtemp(join(tmpdir(), 'dash-pages-'));
    const store = storeAt(kind, root);
    for (const document of documents) await store.save(idOf(document), canonicalBytes(document));
    const schemas = scriptedSchemas();
    const source = new ScriptedSource();
    const time = new SetClock();
    const http = await HttpServer.listen({
      served: { store },
      engine: openDocumentEngine(schemas, defined({ environment: queries.environment })),
      kinds: [...DATA_SOURCE_KINDS, source.kind],
      queries,
      host: '127.0.0.1',
      port: 0,
      clock: time.clock,
      charts: new Charts(time.clock, new Painter(time.clock, CRASHING)),
      onFailure: ({ cause }) => cause === undefined || console.error(cause),
    });
    return new PageServer(http, store, source, time, [root, schemas]);
  }

  /** So much time goes by for the server. */
  forward(ms: number): void {
    this.#time.forward(ms);
  }

  /** Writes a document as an editor would. */
  async write(document: JsonObject): Promise<void> {
    await writeFile(join(this.#folders[0] ?? '', `${idOf(document)}.json`), canonicalText(document));
  }

  /** Folder of the documents. */
  get root(): string {
    return this.#folders[0] ?? '';
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#folders[0] ?? '', `${id}.json`));
  }

  async stop(): Promise<void> {
    await this.#http.stop();
    await Promise.all(this.#folders.map(folder => rm(folder, { recursive: true, force: true })));
  }
}

function idOf(document: JsonObject): string {
  return String((document['manifest'] as JsonObject)['id']);
}
