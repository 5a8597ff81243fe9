import { readChannelPattern } from '@msg/core/internal';
import type { Random } from '@msg/foundation/clock';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import type { SchemaHistory, SchemaStep, SchemaStore, StoredSchemas } from '../contract.ts';

const STEP = lua('./step.lua', import.meta.url);
const REPLACE = lua('./replace.lua', import.meta.url);

/** Revision of an absent hash. */
const NEVER_WRITTEN = '0';

/** @throws Error that does not quote the stored text */
function readHistory(text: string, pattern: string): SchemaHistory {
  try {
    const versions: unknown = JSON.parse(text);
    if (Array.isArray(versions) && versions.length > 0)
      return versions.map(version => readChannelPattern(version, pattern));
  } catch {
    // The cause may quote the stored text.
  }
  throw new Error(`the stored history of the schema of ${pattern} cannot be read`);
}

/**
 * The patterns that all nodes share: one hash with the JSON of each pattern's history, and the revision in the field
 * without name. A revision is a number and a random token, because numbers restart after a loss of data. Source:
 * messaging details 14.1, section 18.
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
    const answer = (await this.#store.call('HGETALL', this.#key)) as readonly string[]; // fields and values alternate
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
