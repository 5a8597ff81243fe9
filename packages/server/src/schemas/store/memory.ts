import type { SchemaHistory, SchemaStep, SchemaStore, StoredSchemas } from './contract.ts';

/** Schemas of one node, which end with the process. */
export class MemorySchemaStore implements SchemaStore {
  readonly shared = false;
  #histories = new Map<string, SchemaHistory>();
  #revision = 0;

  async load(): Promise<StoredSchemas> {
    return { histories: new Map(this.#histories), revision: String(this.#revision) };
  }

  async probe(): Promise<string> {
    return String(this.#revision);
  }

  async step({ seen, pattern, history }: SchemaStep): Promise<string | undefined> {
    if (seen !== String(this.#revision)) return undefined;
    if (history === undefined) this.#histories.delete(pattern);
    else this.#histories.set(pattern, history);
    return String(++this.#revision);
  }

  async replaceAll(
    histories: ReadonlyMap<string, SchemaHistory>,
    seen = String(this.#revision),
  ): Promise<string | undefined> {
    if (seen !== String(this.#revision)) return undefined;
    this.#histories = new Map(histories);
    return String(++this.#revision);
  }
}
