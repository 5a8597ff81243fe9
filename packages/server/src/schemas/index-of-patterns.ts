import type { ChannelPattern } from '@msg/core';
import {
  bindChannel,
  compareSpecificity,
  MAX_NAME_LENGTH,
  parseSchemaPattern,
  type SchemaPattern,
} from '@msg/core/internal';

/** The schema of a channel, and the values of its pattern's placeholders. */
export interface SchemaMatch {
  readonly schema: ChannelPattern;
  readonly bindings: Readonly<Record<string, string>>;
}

/** Size of the cache of matches. */
const REMEMBERED = 10_000;

/** Finds the best pattern of a channel. Immutable: a change makes another index. */
export class PatternIndex {
  /** Patterns by their first token if it is a literal, else under ''; better matches first. */
  readonly #byStart = new Map<
    string,
    { readonly pattern: SchemaPattern; readonly schema: ChannelPattern }[]
  >();
  readonly #cache = new Map<string, SchemaMatch | null>();

  constructor(schemas: Iterable<ChannelPattern>) {
    for (const schema of schemas) {
      const pattern = parseSchemaPattern(schema.pattern);
      const [first] = pattern.tokens;
      const start = first?.kind === 'literal' ? first.text : '';
      const entries = this.#byStart.get(start);
      if (entries === undefined) this.#byStart.set(start, [{ pattern, schema }]);
      else entries.push({ pattern, schema });
    }
    for (const entries of this.#byStart.values())
      entries.sort((a, b) => compareSpecificity(a.pattern, b.pattern));
  }

  /** The best match of a channel, `null` for none. */
  find(channel: string): SchemaMatch | null {
    const cached = this.#cache.get(channel);
    if (cached !== undefined) return cached;
    const match = this.#search(channel);
    if (channel.length > MAX_NAME_LENGTH) return match; // longer than any channel name
    if (this.#cache.size >= REMEMBERED) this.#cache.clear();
    this.#cache.set(channel, match);
    return match;
  }

  #search(channel: string): SchemaMatch | null {
    const start = channel.split(/[.:]/, 1)[0] ?? '';
    const candidates = [start, ''].flatMap(key => {
      for (const { pattern, schema } of this.#byStart.get(key) ?? []) {
        const bindings = bindChannel(pattern, channel);
        if (bindings !== undefined) return [{ pattern, match: { schema, bindings } }];
      }
      return [];
    });
    return candidates.sort((a, b) => compareSpecificity(a.pattern, b.pattern))[0]?.match ?? null;
  }
}
