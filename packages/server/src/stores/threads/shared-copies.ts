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

type Copied = 'keyring' | 'schemas' | 'apiKeys';

/**
 * The version of something of which each thread has a whole copy (threads 5). It is not the number in the slot: while a change
 * is on its way to the threads it is ahead of it, so that the copies of both versions serve. The slot follows when
 * all have taken the change over, or after a second, and older copies are refused from then on.
 */
class CopyVersion {
  readonly #parts: CopyParts;
  readonly #kind: Copied;
  #current: number;

  constructor(kind: Copied, parts: CopyParts, current = 0) {
    this.#kind = kind;
    this.#parts = parts;
    this.#current = current;
    parts.versions.raise(Slot[kind], current);
  }

  /** Read before what it is the version of. */
  get current(): number {
    return this.#current;
  }

  /** Thread `from` has made a new one; resolves to its version when threads go by it. */
  async change(from: number | null, version = this.#current + 1): Promise<number> {
    const { versions, bus } = this.#parts;
    this.#current = version;
    await bus.announce({ kind: this.#kind }, from);
    versions.raise(Slot[this.#kind], version);
    return version;
  }
}

/** Main's keyring, which signs and verifies on all threads. */
export class SharedKeyring {
  readonly #keys: LiveKeySet;

  constructor(keys: LiveKeySet, parts: CopyParts) {
    this.#keys = keys;
    // Key sets are numbered where they are changed: a set and its number are read at once.
    const version = new CopyVersion('keyring', parts, keys.generation);
    keys.afterChange(async () => {
      await version.change(null, keys.generation);
    });
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
  readonly #from: number;
  readonly #version: CopyVersion;

  private constructor(store: SchemaStore, version: CopyVersion, from: number) {
    this.#store = store;
    this.#from = from;
    this.#version = version;
  }

  /** As main uses them. */
  static ofMain(store: SchemaStore, parts: CopyParts): SharedSchemas {
    return new SharedSchemas(store, new CopyVersion('schemas', parts), 0);
  }

  /** The same schemas for thread `number`. */
  of(number: number): SharedSchemas {
    return new SharedSchemas(this.#store, this.#version, number);
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
    await this.#version.change(null);
  }

  async #written(revision: string | undefined): Promise<string | undefined> {
    return revision && `${await this.#version.change(this.#from)}:${revision}`;
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
  readonly #version: CopyVersion;

  constructor(keys: LiveApiKeys, parts: CopyParts) {
    this.#keys = keys;
    this.#version = new CopyVersion('apiKeys', parts);
    keys.afterChange(async () => {
      await this.#version.change(null);
    });
  }

  load(): ApiKeysForm {
    const { declared, stored } = this.#keys;
    return { declared, stored, version: this.#version.current };
  }

  async replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean> {
    const isReplaced = (await this.#keys.store?.replace(name, seen, next)) ?? false;
    // What main has is what threads are given: on a refusal, too, it is what is there now.
    await this.#keys.refresh();
    return isReplaced;
  }
}
