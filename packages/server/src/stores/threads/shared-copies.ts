import type { VersionTable } from '@msg/engine/threads';
import type { ApiKeyRecord } from '../../auth/api-keys/record.ts';
import type { ApiKeyStore, StoredApiKey } from '../../auth/api-keys/store/contract.ts';
import { formatKeyring, parseKeyring } from '../../auth/keys/document.ts';
import type { LiveKeySet } from '../../auth/keys/live-key-set.ts';
import { KeyringConflict } from '../../auth/keys/store/contract.ts';
import type { SchemaHistory, SchemaStep, SchemaStore, StoredSchemas } from '../../schemas/store/contract.ts';
import type { ApiKeysForm, KeyringForm } from './copied-stores.ts';
import type { ProcessBus } from './process-bus.ts';
import { Slot } from './versions.ts';

/** What tells the threads of something of which each has a whole copy. */
export interface CopyParts {
  readonly versions: VersionTable;
  readonly bus: ProcessBus;
}

/** Lets all threads take over a change, then makes older copies unusable (threads 5). */
async function spread(
  { versions, bus }: CopyParts,
  kind: 'keyring' | 'schemas' | 'apiKeys',
  version: number,
  from: number | null,
): Promise<void> {
  await bus.announce({ kind }, from);
  versions.raise(Slot[kind], version);
}

/** Main's keyring, which signs and verifies on all threads. */
export class SharedKeyring {
  readonly #keys: LiveKeySet;

  constructor(keys: LiveKeySet, parts: CopyParts) {
    this.#keys = keys;
    parts.versions.raise(Slot.keyring, keys.generation);
    keys.afterChange(() => spread(parts, 'keyring', keys.generation, null));
  }

  async load(): Promise<KeyringForm | undefined> {
    await this.#keys.follow();
    const { current: keySet, generation } = this.#keys;
    if (keySet.active === undefined) return undefined;
    return { document: formatKeyring(keySet), version: String(generation) };
  }

  probe(): string | undefined {
    return this.#keys.current.active === undefined ? undefined : String(this.#keys.generation);
  }

  /** @throws KeyringConflict */
  async save(document: string, expected: string | undefined): Promise<string> {
    if (this.probe() !== expected) throw new KeyringConflict('another thread has changed the keyring');
    return String(await this.#keys.replace(parseKeyring(document), this.#keys.current));
  }
}

/** Main's schemas, as main or a thread uses them. A revision is the version of the process and that of the store. */
export class SharedSchemas implements SchemaStore {
  readonly shared = true;
  readonly #store: SchemaStore;
  readonly #parts: CopyParts;
  readonly #from: number;
  readonly #version: { current: number };

  /** @param from the thread that uses it; 0 is main */
  constructor(store: SchemaStore, parts: CopyParts, from = 0, version = { current: 0 }) {
    this.#store = store;
    this.#parts = parts;
    this.#from = from;
    this.#version = version;
  }

  /** The same schemas for thread `number`. */
  of(number: number): SharedSchemas {
    return new SharedSchemas(this.#store, this.#parts, number, this.#version);
  }

  async load(): Promise<StoredSchemas> {
    const version = this.#version.current;
    const { histories, revision } = await this.#store.load();
    return { histories, revision: `${version}:${revision}` };
  }

  async probe(): Promise<string> {
    const version = this.#version.current;
    return `${version}:${await this.#store.probe()}`;
  }

  async step({ seen, ...step }: SchemaStep): Promise<string | undefined> {
    return this.#written(await this.#store.step({ ...step, seen: ofStore(seen) }));
  }

  async replaceAll(
    histories: ReadonlyMap<string, SchemaHistory>,
    seen?: string,
  ): Promise<string | undefined> {
    const revision = await (seen === undefined
      ? this.#store.replaceAll(histories)
      : this.#store.replaceAll(histories, ofStore(seen)));
    return this.#written(revision);
  }

  /** Another process has written them. */
  async changed(): Promise<void> {
    this.#version.current += 1;
    await spread(this.#parts, 'schemas', this.#version.current, null);
  }

  async #written(revision: string | undefined): Promise<string | undefined> {
    if (revision === undefined) return undefined;
    this.#version.current += 1;
    const version = this.#version.current;
    await spread(this.#parts, 'schemas', version, this.#from);
    return `${version}:${revision}`;
  }
}

function ofStore(revision: string): string {
  return revision.slice(revision.indexOf(':') + 1);
}

/** Main's API keys, as threads need them. */
export interface LiveApiKeys {
  readonly store: ApiKeyStore | undefined;
  readonly declared: readonly ApiKeyRecord[];
  readonly stored: readonly StoredApiKey[];
  /** Reads the store again. */
  refresh(): Promise<void>;
  /** Waits for the callback in each change, before the change is answered. */
  afterChange(listener: () => Promise<void>): void;
}

/** Main's API keys, which all threads check. */
export class SharedApiKeys {
  readonly #keys: LiveApiKeys;
  #version = 0;

  constructor(keys: LiveApiKeys, parts: CopyParts) {
    this.#keys = keys;
    keys.afterChange(() => spread(parts, 'apiKeys', ++this.#version, null));
  }

  load(): ApiKeysForm {
    const { declared, stored } = this.#keys;
    return { declared, stored, version: this.#version };
  }

  async replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean> {
    const isReplaced = (await this.#keys.store?.replace(name, seen, next)) ?? false;
    // What main has is what threads are given: on a refusal, too, it is what is there now.
    await this.#keys.refresh();
    return isReplaced;
  }
}
