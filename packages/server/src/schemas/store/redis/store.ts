import { readChannelPattern } from '@msg/core/internal';
import type { Random } from '@msg/foundation/clock';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import type { SchemaHistory, SchemaStep, SchemaStore, StoredSchemas } from '../contract.ts';

const STEP = lua('./step.lua', import.meta.url);
const REPLACE = lua('./replace.lua', import.meta.url);

/** Revision of a hash that is not there. */
const NEVER_WRITTEN = '0';

/** @throws Error that quotes nothing of what is stored */
function readHistory(text: string, pattern: string): SchemaHistory {
  try {
    const versions: unknown = JSON.parse(text);
    if (Array.isArray(versions) && versions.length > 0)
      return versions.map(version => readChannelPattern(version, pattern));
  } catch {
    // The cause may quote what it could not read.
  }
  throw new Error(`the stored history of the schema of ${pattern} cannot be read`);
}

/**
 * The patterns that all nodes share: one hash, a field with the JSON of its history per pattern, the revision in the
 * field without name. A revision is a number and a random token, because after a loss of data the numbers begin anew.
 * Source: messaging details 14.1, section 18.
 */
export class RedisSchemaStore implements SchemaStore {
  readonly shared = true;
  readonly #store: SharedStore;
  readonly #random: Random;
  readonly #key: string;
  readonly #events: string;

  constructor(store: SharedStore, random: Random) {
    this.#store = store;
    this.#random = random;
    this.#key = store.key('schemas');
    this.#events = store.key('schemas:events');
  }

  async load(): Promise<StoredSchemas> {
    const answer = (await this.#store.call('HGETALL', this.#key)) as readonly string[]; // field and value in turns
    const histories = new Map<string, SchemaHistory>();
    let revision = NEVER_WRITTEN;
    for (let at = 0; at < answer.length; at += 2) {
      const [field = '', value = ''] = answer.slice(at, at + 2);
      if (field === '') revision = value;
      else histories.set(field, readHistory(value, field));
    }
    return { histories, revision };
  }

  async probe(): Promise<string> {
    const revision = await this.#store.call('HGET', this.#key, '');
    return typeof revision === 'string' ? revision : NEVER_WRITTEN;
  }

  async step({ seen, pattern, history }: SchemaStep): Promise<string | undefined> {
    const written = history === undefined ? '' : JSON.stringify(history);
    const args = [seen, this.#token(), this.#events, pattern, written];
    const revision = await this.#store.run(STEP, [this.#key], args);
    return typeof revision === 'string' ? revision : undefined;
  }

  async replaceAll(histories: ReadonlyMap<string, SchemaHistory>, seen = ''): Promise<string | undefined> {
    const entries = [...histories].flatMap(([pattern, history]) => [pattern, JSON.stringify(history)]);
    const args = [seen, this.#token(), this.#events, ...entries];
    const revision = await this.#store.run(REPLACE, [this.#key], args);
    return typeof revision === 'string' ? revision : undefined;
  }

  #token(): string {
    return Buffer.from(this.#random.bytes(6)).toString('hex');
  }
}
