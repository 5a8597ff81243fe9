import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import { type ConsoleSessionStore, MAX_LOGINS, type StoredSession } from '../console/sessions/contract.ts';
import type { SharedSubject } from './shared-subject.ts';

const HOUR_MS = 3_600_000;

/** A session that begins now, as the store's clock has it, or by so many milliseconds later. */
function sessionOf(now: number, members: Partial<StoredSession> = {}): StoredSession {
  return {
    subject: 'ada',
    role: 'operator',
    kid: 'k-1',
    fingerprint: 'f-1',
    jti: 'j-1',
    iat: 1,
    createdAt: now,
    endsAt: now + HOUR_MS,
    usedAt: now,
    writesUntil: 0,
    ...members,
  };
}

/** Two views on one empty store, and its clock. */
export interface ConsoleSessionSubject extends SharedSubject<ConsoleSessionStore> {
  readonly now: () => number;
}

function promise(
  name: string,
  holds: ContractCase<ConsoleSessionSubject>['holds'],
): ContractCase<ConsoleSessionSubject> {
  return { name, holds };
}

/** What every store of sessions does. */
export const CONSOLE_SESSION_CONTRACT: readonly ContractCase<ConsoleSessionSubject>[] = [
  promise('a session is answered as it was created, on every node', async ({ here, there, now }) => {
    const session = sessionOf(now(), { scopes: [{ pat: 'public:shop.**', v: ['manage'] }] });
    await here.create('a', session, HOUR_MS);
    assert.deepEqual(await there.get('a'), session);
    assert.equal(await there.get('b'), undefined);
  }),
  promise('a change of one member leaves the others, on every node', async ({ here, there, now }) => {
    const session = sessionOf(now());
    await here.create('a', session, HOUR_MS);
    await there.change('a', { writesUntil: 99 }, HOUR_MS);
    await here.change('a', { usedAt: 55 }, HOUR_MS);
    assert.deepEqual(await there.get('a'), { ...session, writesUntil: 99, usedAt: 55 });
  }),
  promise('a change of an unknown session makes none', async ({ here, now }) => {
    await here.change('a', { usedAt: 55 }, HOUR_MS);
    assert.equal(await here.get('a'), undefined);
    assert.equal(await here.count(now()), 0);
  }),
  promise('an ended session keeps its reason and no longer counts', async ({ here, there, now }) => {
    await here.create('a', sessionOf(now()), HOUR_MS);
    await here.create('b', sessionOf(now()), HOUR_MS);
    await there.change('a', { ended: 'signed-out' }, HOUR_MS);
    assert.equal((await here.get('a'))?.ended, 'signed-out');
    assert.equal(await here.count(now()), 1);
    assert.deepEqual(await here.ofSubject('ada', now()), ['b']);
    // A late note of its use does not bring it back.
    await here.change('a', { usedAt: 77 }, HOUR_MS);
    assert.equal((await here.get('a'))?.ended, 'signed-out');
    assert.equal(await here.count(now()), 1);
  }),
  promise('sessions count for the key of their token while they last', async ({ here, there, now }) => {
    const begin = now();
    await here.create('a', sessionOf(begin), HOUR_MS);
    await here.create('b', sessionOf(begin), HOUR_MS);
    await here.create('c', sessionOf(begin, { kid: 'k-2' }), HOUR_MS);
    await here.create('of the identity provider', sessionOf(begin, { kid: '', fingerprint: '' }), HOUR_MS);
    await here.create('idle', sessionOf(begin, { usedAt: begin - 10 }), HOUR_MS);
    await here.create('over', sessionOf(begin, { endsAt: begin - 1 }), HOUR_MS);
    await here.change('b', { ended: 'signed-out' }, HOUR_MS);
    assert.deepEqual(
      await there.countByKey(now(), begin),
      new Map([
        ['k-1', 1],
        ['k-2', 1],
      ]),
    );
  }),
  promise(
    'sessions of a subject come the oldest first, those of others not',
    async ({ here, there, now }) => {
      const begin = now();
      await here.create('c', sessionOf(begin, { createdAt: begin + 2 }), HOUR_MS);
      await here.create('a', sessionOf(begin, { createdAt: begin }), HOUR_MS);
      await here.create('b', sessionOf(begin, { createdAt: begin + 1, subject: 'li' }), HOUR_MS);
      assert.deepEqual(await there.ofSubject('ada', now()), ['a', 'c']);
      assert.equal(await there.count(now()), 3);
    },
  ),
  promise('what a sign-in needs is answered once, on one node', async ({ here, there }) => {
    await here.keepLogin('a', 'needs', HOUR_MS);
    assert.equal(await there.takeLogin('a'), 'needs');
    assert.equal(await here.takeLogin('a'), undefined);
    assert.equal(await there.takeLogin('b'), undefined);
  }),
  promise('of sign-ins that have begun the newest thousand are kept', async ({ here, there }) => {
    for (let count = 0; count <= MAX_LOGINS; count++)
      await here.keepLogin(`login-${count}`, String(count), HOUR_MS + count);
    assert.equal(await there.takeLogin('login-0'), undefined);
    assert.equal(await there.takeLogin('login-1'), '1');
    assert.equal(await there.takeLogin(`login-${MAX_LOGINS}`), String(MAX_LOGINS));
  }),
];
