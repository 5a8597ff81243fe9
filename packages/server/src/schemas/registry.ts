import {
  type ChannelPattern,
  type CompatibilityReport,
  MsgError,
  type SchemaChange,
  type SchemaSnapshot,
} from '@msg/core';
import { compareSchemas, formatTimestamp, readChannelPattern, sortedPatterns } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { SerialQueue } from '@msg/foundation/promises';
import { PatternIndex, type SchemaMatch } from './index-of-patterns.ts';
import type { SchemaHistory, SchemaStore } from './store/contract.ts';

/** Attempts of a step against writes of other nodes; each failure means that another node made progress. */
const ATTEMPTS = 100;

const NOTHING: CompatibilityReport = { compatible: true, changes: [] };

function notRegistered(pattern: string): MsgError {
  return new MsgError('MSG_CHANNEL_NOT_FOUND', `schema pattern ${JSON.stringify(pattern)} is not registered`);
}

function firstVersions({ patterns }: SchemaSnapshot): ReadonlyMap<string, SchemaHistory> {
  return new Map(patterns.map(schema => [schema.pattern, [{ ...schema, version: schema.version || 1 }]]));
}

/** An update with its compatibility for readers. */
export interface SchemaUpdate {
  readonly schema: ChannelPattern;
  readonly compatibility: CompatibilityReport;
}

/**
 * The schema registry: the schemas of channels' publications, by pattern. With a shared store all nodes give the same
 * answers; the node that makes a mutation broadcasts it. Source: the specification, "Schema registry"; messaging details
 * 14.1.
 */
export class SchemaRegistry {
  readonly #store: SchemaStore;
  readonly #clock: Clock;
  readonly #listeners = new Set<(change: SchemaChange) => void>();
  #histories: ReadonlyMap<string, SchemaHistory> = new Map();
  #index = new PatternIndex([]);
  #revision: string | undefined;
  /** Mutations of this node and reads of the store, one after the other. */
  readonly #queue = new SerialQueue();

  constructor(store: SchemaStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Whether other nodes write to the same store. */
  get shared(): boolean {
    return this.#store.shared;
  }

  /** The current content, patterns ascending. */
  snapshot(): SchemaSnapshot {
    this.#requireCurrent();
    return { patterns: sortedPatterns(this.#current()), at: formatTimestamp(this.#clock.now()) };
  }

  /** The current version. @throws MsgError MSG_CHANNEL_NOT_FOUND */
  get(pattern: string): ChannelPattern {
    return this.history(pattern).at(-1) as ChannelPattern; // histories are never empty
  }

  /** Every version, the current one last. @throws MsgError MSG_CHANNEL_NOT_FOUND */
  history(pattern: string): SchemaHistory {
    this.#requireCurrent();
    const history = this.#histories.get(pattern);
    if (history === undefined) throw notRegistered(pattern);
    return history;
  }

  /**
   * The schema that applies to a channel; `null` without one.
   * @throws MsgError MSG_BROKER_NOT_READY while another thread's change is taken over
   */
  find(channel: string): SchemaMatch | null {
    this.#requireCurrent();
    return this.#index.find(channel);
  }

  /** As {@link find}. @throws MsgError MSG_CHANNEL_NOT_FOUND */
  lookup(channel: string): SchemaMatch {
    const match = this.find(channel);
    if (match !== null) return match;
    throw new MsgError('MSG_CHANNEL_NOT_FOUND', `no schema pattern matches ${JSON.stringify(channel)}`);
  }

  /**
   * Adds a pattern, whose version 0 becomes 1.
   * @throws MsgError MSG_CHANNEL_EXISTS when it is registered already, MSG_INVALID_ARGUMENT
   */
  register(pattern: ChannelPattern): Promise<ChannelPattern> {
    return this.#mutate(pattern, (schema, history) => {
      if (history !== undefined) {
        const text = `schema pattern ${JSON.stringify(schema.pattern)} is registered already`;
        throw new MsgError('MSG_CHANNEL_EXISTS', text);
      }
      return { ...schema, version: schema.version || 1 };
    });
  }

  /**
   * Replaces a pattern's current version; version 0 becomes the next version.
   * @throws MsgError MSG_CHANNEL_NOT_FOUND when it is not registered, MSG_INVALID_ARGUMENT
   */
  async update(pattern: ChannelPattern): Promise<SchemaUpdate> {
    let compatibility = NOTHING;
    const schema = await this.#mutate(pattern, (next, history) => {
      const before = history?.at(-1);
      if (before === undefined) throw notRegistered(next.pattern);
      compatibility = compareSchemas(before, next);
      return { ...next, version: next.version || before.version + 1 };
    });
    return { schema, compatibility };
  }

  /** The compatibility of an update, without making it. @throws MsgError MSG_CHANNEL_NOT_FOUND, MSG_INVALID_ARGUMENT */
  check(pattern: ChannelPattern): CompatibilityReport {
    const next = readChannelPattern(pattern);
    return compareSchemas(this.get(next.pattern), next);
  }

  /** Removes a pattern with its history. @throws MsgError MSG_CHANNEL_NOT_FOUND */
  deregister(pattern: string): Promise<void> {
    return this.#queue.run(async () => {
      await this.#step(pattern, history => {
        if (history === undefined) throw notRegistered(pattern);
        return undefined;
      });
      this.#notifyFollowers({ kind: 'deregistered', pattern, at: formatTimestamp(this.#clock.now()) });
    });
  }

  /** Replaces the whole content and reports no change; version 0 becomes 1. */
  load(snapshot: SchemaSnapshot): Promise<void> {
    const histories = firstVersions(snapshot);
    return this.#queue.run(async () => {
      const revision = await this.#store.replaceAll(histories);
      if (revision !== undefined) this.#take(histories, revision);
    });
  }

  /** As {@link load}, unless the store already has patterns, which operators registered. */
  begin(snapshot: SchemaSnapshot): Promise<void> {
    const histories = firstVersions(snapshot);
    return this.#queue.run(async () => {
      await this.#reload();
      if (this.#store.shared && this.#histories.size > 0) return;
      const revision = await this.#store.replaceAll(histories, this.#revision);
      if (revision === undefined) await this.#reload();
      else this.#take(histories, revision);
    });
  }

  /** Reads the writes of other nodes, if there are new ones. */
  refresh(): Promise<void> {
    return this.#queue.run(async () => {
      if ((await this.#store.probe()) !== this.#revision) await this.#reload();
    });
  }

  /** Calls back for each mutation of this node, in order. Returns a function that stops it. */
  onChange(listener: (change: SchemaChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #mutate(
    pattern: ChannelPattern,
    decide: (schema: ChannelPattern, history: SchemaHistory | undefined) => ChannelPattern,
  ): Promise<ChannelPattern> {
    const schema = readChannelPattern(pattern);
    return this.#queue.run(async () => {
      let decided = schema;
      let isNew = true;
      await this.#step(schema.pattern, history => {
        decided = decide(schema, history);
        isNew = history === undefined;
        return [...(history ?? []), decided];
      });
      const at = formatTimestamp(this.#clock.now());
      this.#notifyFollowers({
        kind: isNew ? 'registered' : 'updated',
        pattern: schema.pattern,
        schema: decided,
        at,
      });
      return decided;
    });
  }

  /** Runs a step on the stored content, and repeats it when another node wrote in between. */
  async #step(
    pattern: string,
    decide: (history: SchemaHistory | undefined) => SchemaHistory | undefined,
  ): Promise<void> {
    if (this.#store.shared || this.#revision === undefined) await this.#reload();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const history = decide(this.#histories.get(pattern));
      const seen = this.#revision ?? '';
      const revision = await this.#store.step({ seen, pattern, history });
      if (revision !== undefined) {
        const histories = new Map(this.#histories);
        if (history === undefined) histories.delete(pattern);
        else histories.set(pattern, history);
        this.#take(histories, revision);
        return;
      }
      await this.#reload();
    }
    throw new MsgError('MSG_BROKER_NOT_READY', 'other nodes change the schemas at the same time');
  }

  async #reload(): Promise<void> {
    const { histories, revision } = await this.#store.load();
    this.#take(histories, revision);
  }

  #take(histories: ReadonlyMap<string, SchemaHistory>, revision: string): void {
    this.#histories = histories;
    this.#revision = revision;
    this.#index = new PatternIndex(this.#current());
  }

  #requireCurrent(): void {
    if (this.#revision === undefined || this.#store.isCurrent?.(this.#revision) !== false) return;
    throw new MsgError('MSG_BROKER_NOT_READY', 'the schemas are being renewed', { retryAfterMs: 1000 });
  }

  #current(): ChannelPattern[] {
    return [...this.#histories.values()].flatMap(history => history.slice(-1));
  }

  #notifyFollowers(change: SchemaChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
