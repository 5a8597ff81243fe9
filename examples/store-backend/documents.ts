import {
  KeyringConflict,
  type KeyringStore,
  type KeySet,
  keySetDocument,
  parseKeyring,
  type SchemaHistory,
  type SchemaStep,
  type SchemaStore,
  type StoredKeySet,
  type StoredSchemas,
} from '@msg/server';
import type { Database } from './database.ts';

/** One document that is replaced only by who has seen its current version. */
class VersionedDocument {
  readonly #database: Database;
  readonly #name: string;

  constructor(database: Database, name: string) {
    this.#database = database;
    this.#name = name;
  }

  read(): { readonly text: string; readonly version: string } | undefined {
    const row = this.#database.get('SELECT text, version FROM documents WHERE name = ?', this.#name);
    return row === undefined ? undefined : { text: String(row['text']), version: String(row['version']) };
  }

  write(text: string): string {
    const write =
      'INSERT INTO documents VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET text = excluded.text, version = version + 1 RETURNING version';
    return String(this.#database.get(write, this.#name, text)?.['version']);
  }
}

/** The signing keys. */
export class SqliteKeyringStore implements KeyringStore {
  readonly backend = 'external';
  readonly location: string;
  readonly #database: Database;
  readonly #document: VersionedDocument;

  constructor(database: Database) {
    this.location = database.path;
    this.#database = database;
    this.#document = new VersionedDocument(database, 'keyring');
  }

  async load(): Promise<StoredKeySet | undefined> {
    const stored = this.#document.read();
    return stored === undefined ? undefined : { keySet: parseKeyring(stored.text), version: stored.version };
  }

  async probe(): Promise<string | undefined> {
    return this.#document.read()?.version;
  }

  async save(keys: KeySet, expected: string | undefined): Promise<string> {
    return this.#database.transaction(() => {
      if (this.#document.read()?.version !== expected)
        throw new KeyringConflict('another process was faster');
      return this.#document.write(JSON.stringify(keySetDocument(keys)));
    });
  }
}

/** Schemas by pattern; the document `schemas` holds nothing but their revision. */
export class SqliteSchemaStore implements SchemaStore {
  readonly shared = false;
  readonly #database: Database;
  readonly #document: VersionedDocument;

  constructor(database: Database) {
    this.#database = database;
    this.#document = new VersionedDocument(database, 'schemas');
  }

  async load(): Promise<StoredSchemas> {
    return this.#database.transaction(() => {
      const rows = this.#database.all('SELECT * FROM schemas');
      const histories = rows.map(
        ({ pattern, history }) => [String(pattern), JSON.parse(String(history))] as const,
      );
      return { histories: new Map<string, SchemaHistory>(histories), revision: this.#revision() };
    });
  }

  async probe(): Promise<string> {
    return this.#revision();
  }

  async step({ seen, pattern, history }: SchemaStep): Promise<string | undefined> {
    return this.#database.transaction(() => {
      if (seen !== this.#revision()) return undefined;
      if (history === undefined) this.#database.run('DELETE FROM schemas WHERE pattern = ?', pattern);
      else this.#put(pattern, history);
      return this.#document.write('');
    });
  }

  async replaceAll(
    histories: ReadonlyMap<string, SchemaHistory>,
    seen?: string,
  ): Promise<string | undefined> {
    return this.#database.transaction(() => {
      if (seen !== undefined && seen !== this.#revision()) return undefined;
      this.#database.run('DELETE FROM schemas');
      for (const [pattern, history] of histories) this.#put(pattern, history);
      return this.#document.write('');
    });
  }

  #revision(): string {
    return this.#document.read()?.version ?? '0';
  }

  #put(pattern: string, history: SchemaHistory): void {
    this.#database.run('INSERT OR REPLACE INTO schemas VALUES (?, ?)', pattern, JSON.stringify(history));
  }
}
