import type { LinkEnd, VersionTable } from '@msg/engine/threads';
import type { ApiKeyRecord } from '../../auth/api-keys/record.ts';
import type { ApiKeyStore, StoredApiKey } from '../../auth/api-keys/store/contract.ts';
import { formatKeyring, parseKeyring } from '../../auth/keys/document.ts';
import type { KeySet } from '../../auth/keys/key-set.ts';
import type { KeyringStore, StoredKeySet } from '../../auth/keys/store/contract.ts';
import type { SchemaHistory, SchemaStep, SchemaStore, StoredSchemas } from '../../schemas/store/contract.ts';
import { ask } from './asking.ts';
import { Slot } from './versions.ts';

/** A thread's store of something of which the thread keeps a whole copy (threads 5). */
export interface CopiedStore {
  /** A change of this thread is on its way: its copy follows without news. */
  readonly isWriting: boolean;
}

/** The keyring as it crosses between threads. */
export interface KeyringForm {
  readonly document: string;
  readonly version: string;
}

/** What a thread knows of main's keyring. */
export interface KeyringFacts {
  readonly backend: KeyringStore['backend'];
  readonly location: string;
}

/** The keyring of main, for a thread. Its version is that of the shared table. */
export class ThreadKeyringStore implements KeyringStore, CopiedStore {
  readonly backend: KeyringStore['backend'];
  readonly location: string;
  readonly #link: LinkEnd;
  readonly #versions: VersionTable;
  #writes = 0;

  constructor(link: LinkEnd, versions: VersionTable, { backend, location }: KeyringFacts) {
    this.#link = link;
    this.#versions = versions;
    this.backend = backend;
    this.location = location;
  }

  get isWriting(): boolean {
    return this.#writes > 0;
  }

  async load(): Promise<StoredKeySet | undefined> {
    const form = await ask<KeyringForm | undefined>(this.#link, 'keyring', 'load');
    return form && { keySet: parseKeyring(form.document), version: form.version };
  }

  probe(): Promise<string | undefined> {
    return ask(this.#link, 'keyring', 'probe');
  }

  async save(keySet: KeySet, expected: string | undefined): Promise<string> {
    this.#writes += 1;
    try {
      return await ask(this.#link, 'keyring', 'save', formatKeyring(keySet), expected);
    } finally {
      this.#writes -= 1;
    }
  }

  isCurrent(version: string | undefined): boolean {
    return !this.#versions.isBehind(Slot.keyring, Number(version));
  }
}

/** The schemas of main, for a thread. A revision begins with the version of the shared table. */
export class ThreadSchemaStore implements SchemaStore, CopiedStore {
  readonly shared = true;
  readonly #link: LinkEnd;
  readonly #versions: VersionTable;
  #writes = 0;

  constructor(link: LinkEnd, versions: VersionTable) {
    this.#link = link;
    this.#versions = versions;
  }

  get isWriting(): boolean {
    return this.#writes > 0;
  }

  load(): Promise<StoredSchemas> {
    return ask(this.#link, 'schemas', 'load');
  }

  probe(): Promise<string> {
    return ask(this.#link, 'schemas', 'probe');
  }

  step(step: SchemaStep): Promise<string | undefined> {
    return this.#write(() => ask(this.#link, 'schemas', 'step', step));
  }

  replaceAll(histories: ReadonlyMap<string, SchemaHistory>, seen?: string): Promise<string | undefined> {
    return this.#write(() => ask(this.#link, 'schemas', 'replaceAll', histories, seen));
  }

  isCurrent(revision: string): boolean {
    return !this.#versions.isBehind(Slot.schemas, Number.parseInt(revision, 10));
  }

  async #write<T>(write: () => Promise<T>): Promise<T> {
    this.#writes += 1;
    try {
      return await write();
    } finally {
      this.#writes -= 1;
    }
  }
}

/** The API keys as they cross between threads: digests, never texts. */
export interface ApiKeysForm {
  readonly declared: readonly ApiKeyRecord[];
  readonly stored: readonly StoredApiKey[];
  readonly version: number;
}

/** What a thread knows of main's API keys. */
export interface ApiKeyFacts {
  readonly location: string;
  /** Main has a store: keys can be created. */
  readonly canChange: boolean;
}

/** The API keys of main, for a thread: those that main declares, and those of its store. */
export class ThreadApiKeyStore implements ApiKeyStore {
  readonly location: string;
  readonly canChange: boolean;
  readonly #link: LinkEnd;
  readonly #versions: VersionTable;
  #declared: readonly ApiKeyRecord[] = [];
  readonly #versionOf = new WeakMap<readonly StoredApiKey[], number>();

  constructor(link: LinkEnd, versions: VersionTable, { location, canChange }: ApiKeyFacts) {
    this.#link = link;
    this.#versions = versions;
    this.location = location;
    this.canChange = canChange;
  }

  async load(): Promise<readonly StoredApiKey[]> {
    const { declared, stored, version } = await ask<ApiKeysForm>(this.#link, 'apiKeys', 'load');
    this.#declared = declared;
    this.#versionOf.set(stored, version);
    return stored;
  }

  /** As the last answer of {@link load} had them. */
  get declared(): readonly ApiKeyRecord[] {
    return this.#declared;
  }

  replace(name: string, seen: string | undefined, next: StoredApiKey | undefined): Promise<boolean> {
    return ask(this.#link, 'apiKeys', 'replace', name, seen, next);
  }

  isCurrent(stored: readonly StoredApiKey[]): boolean {
    const version = this.#versionOf.get(stored);
    return version !== undefined && !this.#versions.isBehind(Slot.apiKeys, version);
  }
}
