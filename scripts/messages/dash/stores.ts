import { type DocumentStore, documentEngine, FileStore, loadCatalog } from '@msg/dash';

/** Id of the document in the store of the calls. */
export const ID = 'team-pulse';

/** The engine of the built-in types. */
export const engine = documentEngine(loadCatalog(), { environment: {} });

/** A store of files whose calls fail without a code, as a disk may. */
export class BrokenStore extends FileStore {
  override list(): Promise<string[]> {
    return Promise.reject(new Error('the disk is on fire'));
  }
  override exclusively<T>(): Promise<T> {
    return Promise.reject(new Error('the disk is on fire'));
  }
}

/** A store without revisions, as a library user may bring one. */
export class PlainStore extends FileStore {
  override readonly capabilities: ReadonlySet<never> = new Set();
  override async load(id: string): Promise<{ bytes: Uint8Array }> {
    return { bytes: (await super.load(id)).bytes };
  }
  override exclusively<T>(id: string, work: Parameters<DocumentStore['exclusively']>[1]): Promise<T> {
    return super.exclusively(id, document =>
      work({ ...document, load: async () => ({ bytes: (await document.load()).bytes }) }),
    ) as Promise<T>; // the work of the caller
  }
}
