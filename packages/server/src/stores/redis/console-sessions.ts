import { hash } from 'node:crypto';
import { defined, isRecord } from '@msg/foundation/json';
import { lua } from '@msg/redis';
import {
  type ConsoleSessionStore,
  countedByKey,
  MAX_LOGINS,
  type SessionEnd,
  type SessionRecord,
  type SessionState,
  type StoredSession,
} from '../../console/sessions/contract.ts';
import type { SharedStore } from './shared-store.ts';

const CREATE = lua('./console-session-create.lua', import.meta.url);
const CHANGE = lua('./console-session-change.lua', import.meta.url);

/** How long the lists of ids are kept, milliseconds: longer than any session lasts. */
const LIST_MS = 25 * 3_600_000;

/** Names of the hash: the record never changes, the others do. */
const RECORD = 'record';
const USED_AT = 'used';
const WRITES_UNTIL = 'writes';
const ENDED = 'ended';

function fieldsOf({ usedAt, writesUntil, ended }: Partial<SessionState>): (string | number)[] {
  const named = Object.entries({ [USED_AT]: usedAt, [WRITES_UNTIL]: writesUntil, [ENDED]: ended });
  return named.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

function recordOf(text: string | null | undefined): SessionRecord | undefined {
  if (text === null || text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  // Only this store writes records.
  return isRecord(value) ? (value as unknown as SessionRecord) : undefined;
}

/** The sessions that all nodes share: `<prefix>:console:session:<id>`. */
export class RedisConsoleSessions implements ConsoleSessionStore {
  readonly #store: SharedStore;
  readonly #all: string;
  readonly #logins: string;

  constructor(store: SharedStore) {
    this.#store = store;
    this.#all = store.key('console:sessions');
    this.#logins = store.key('console:logins');
  }

  async create(id: string, session: StoredSession, keepMs: number): Promise<void> {
    const { usedAt, writesUntil, ended, ...record } = session;
    const state = fieldsOf({ usedAt, writesUntil, ...defined({ ended }) });
    const args = [keepMs, RECORD, JSON.stringify(record), ...state];
    await this.#store.run(CREATE, [this.#session(id)], args);
    for (const list of this.#lists(session.subject)) {
      await this.#store.call('ZADD', list, this.#score(session, keepMs), id);
      await this.#store.call('PEXPIRE', list, LIST_MS);
    }
  }

  async get(id: string): Promise<StoredSession | undefined> {
    const names = [RECORD, USED_AT, WRITES_UNTIL, ENDED];
    const values = (await this.#store.call('HMGET', this.#session(id), ...names)) as (string | null)[];
    const [text, usedAt, writesUntil, ended] = values;
    const record = recordOf(text);
    if (record === undefined) return undefined;
    const session = { ...record, usedAt: Number(usedAt), writesUntil: Number(writesUntil) };
    return ended === null || ended === undefined ? session : { ...session, ended: ended as SessionEnd };
  }

  async change(id: string, change: Partial<SessionState>, keepMs: number): Promise<void> {
    await this.#store.run(CHANGE, [this.#session(id)], [keepMs, ...fieldsOf(change)]);
    const session = await this.get(id);
    if (session === undefined) return;
    for (const list of this.#lists(session.subject)) {
      if (session.ended === undefined)
        await this.#store.call('ZADD', list, 'XX', this.#score(session, keepMs), id);
      else await this.#store.call('ZREM', list, id);
    }
  }

  async count(now: number): Promise<number> {
    await this.#forgetOld(this.#all, now);
    return Number(await this.#store.call('ZCARD', this.#all));
  }

  async countByKey(now: number, usedSince: number): Promise<ReadonlyMap<string, number>> {
    await this.#forgetOld(this.#all, now);
    const ids = (await this.#store.call('ZRANGE', this.#all, 0, -1)) as string[];
    return countedByKey(await Promise.all(ids.map(id => this.get(id))), usedSince);
  }

  async ofSubject(subject: string, now: number): Promise<string[]> {
    const list = this.#ofSubject(subject);
    await this.#forgetOld(list, now);
    const ids = (await this.#store.call('ZRANGE', list, 0, -1)) as string[];
    const sessions = await Promise.all(
      ids.map(async id => ({ id, at: (await this.get(id))?.createdAt ?? 0 })),
    );
    return sessions.sort((a, b) => a.at - b.at).map(({ id }) => id);
  }

  async keepLogin(id: string, login: string, keepMs: number): Promise<void> {
    const now = this.#store.now();
    await this.#store.call('SET', this.#login(id), login, 'PX', keepMs);
    await this.#store.call('ZADD', this.#logins, Math.floor(now + keepMs), id);
    await this.#store.call('PEXPIRE', this.#logins, LIST_MS);
    await this.#forgetOld(this.#logins, now);
    const above = Number(await this.#store.call('ZCARD', this.#logins)) - MAX_LOGINS;
    if (above <= 0) return;
    const oldest = (await this.#store.call('ZRANGE', this.#logins, 0, above - 1)) as string[];
    await this.#store.call('ZREM', this.#logins, ...oldest);
    await this.#store.call('DEL', ...oldest.map(other => this.#login(other)));
  }

  async takeLogin(id: string): Promise<string | undefined> {
    const login = await this.#store.call('GETDEL', this.#login(id));
    await this.#store.call('ZREM', this.#logins, id);
    return typeof login === 'string' ? login : undefined;
  }

  /** When the session ends if nothing changes. */
  #score({ endsAt }: SessionRecord, keepMs: number): number {
    return Math.floor(Math.min(endsAt, this.#store.now() + keepMs));
  }

  #lists(subject: string): readonly string[] {
    return [this.#all, this.#ofSubject(subject)];
  }

  async #forgetOld(list: string, now: number): Promise<void> {
    await this.#store.call('ZREMRANGEBYSCORE', list, '-inf', Math.floor(now));
  }

  #login(id: string): string {
    return this.#store.key(`console:login:${id}`);
  }

  #session(id: string): string {
    return this.#store.key(`console:session:${id}`);
  }

  #ofSubject(subject: string): string {
    return this.#store.key(`console:subject:${hash('sha256', subject)}`);
  }
}
