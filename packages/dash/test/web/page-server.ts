import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { DATA_SOURCE_KINDS } from '#src/data/kinds.ts';
import { canonicalText } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { HttpServer } from '#src/http/server.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { FileStore } from '#src/store/file-store.ts';
import { ScriptedSource, scriptedSchemas } from './scripted.ts';

/** What takes ten seconds and more, such as the limit of a query, is not reached on any machine. */
const PATIENT_CLOCK: Clock = {
  ...systemClock,
  setTimeout: (callback, ms, keepAlive) =>
    systemClock.setTimeout(callback, ms >= 10_000 ? ms * 1_000 : ms, keepAlive),
};

/** A server with a store of its own, the source of the tests and types of each role. */
export class PageServer {
  readonly source: ScriptedSource;
  readonly url: string;
  readonly #http: HttpServer;
  readonly #folders: readonly string[];

  private constructor(http: HttpServer, source: ScriptedSource, folders: readonly string[]) {
    this.#http = http;
    this.source = source;
    this.url = http.url;
    this.#folders = folders;
  }

  static async start(documents: readonly JsonObject[]): Promise<PageServer> {
    const root = await mkdtemp(join(tmpdir(), 'dash-pages-'));
    for (const document of documents)
      await writeFile(join(root, `${idOf(document)}.json`), canonicalText(document));
    const schemas = scriptedSchemas();
    const source = new ScriptedSource();
    const http = await HttpServer.listen({
      served: { store: new FileStore({ root }) },
      engine: openDocumentEngine(schemas),
      kinds: [...DATA_SOURCE_KINDS, source.kind],
      host: '127.0.0.1',
      port: 0,
      clock: PATIENT_CLOCK,
      onFailure: ({ cause }) => cause === undefined || console.error(cause),
    });
    return new PageServer(http, source, [root, schemas]);
  }

  /** Writes a document as an editor would. */
  async write(document: JsonObject): Promise<void> {
    await writeFile(join(this.#folders[0] ?? '', `${idOf(document)}.json`), canonicalText(document));
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
