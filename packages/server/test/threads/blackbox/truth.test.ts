// Rounds by HTTP: what one thread has answered as done is true for the next request to another one (threads 5). The long form
// is `npm run threads:truth`; MSG_TEST_SEED repeats a run.
import { describe, expect, it } from 'vitest';
import { callersOfSuite, type ThreadAnswer, type ThreadCaller } from '../../support/thread-callers.ts';

const THREADS = 4;
/** Rounds of each kind: each ordered pair of threads has the same number of them, or one more. */
const ROUNDS = Number(process.env['MSG_TEST_ROUNDS'] ?? 60);
/** Rounds in which all threads are asked at once. */
const RACES = Math.ceil(ROUNDS / 10);
const SEED = Number(process.env['MSG_TEST_SEED'] ?? Date.now() % 2 ** 31);
const LIMIT = 100;
const WINDOW_MS = 1000;

const CONFIG = `
observability: { access_log: sampled, access_log_sample: 0 }
schema_validation: [{ pattern: "public:truth.schema.**", mode: strict }]
`;
const LIMITED = `
observability: { access_log: sampled, access_log_sample: 0 }
rate_limits: { publish: { rate: ${LIMIT}, per: ${WINDOW_MS}ms } }
`;

const NAME = 'public:truth.limited';
const NUMBER = Buffer.from('{"n":1}').toString('base64');
const TEXT = Buffer.from('{"n":"one"}').toString('base64');

/** Numbers from 0 to below `end`, the same for a seed. */
function numbers(seed: number): (end: number) => number {
  let state = seed | 0;
  return end => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return ((state >>> 16) & 0x7fff) % end;
  };
}

/** All ordered pairs of different threads, in an order of the seed. */
function orderedPairs(callers: readonly ThreadCaller[]): (readonly [ThreadCaller, ThreadCaller])[] {
  const pairs = callers.flatMap(here =>
    callers.filter(there => there !== here).map(there => [here, there] as const),
  );
  const number = numbers(SEED);
  for (let last = pairs.length - 1; last > 0; last--) {
    const other = number(last + 1);
    [pairs[last], pairs[other]] = [pairs[other] as never, pairs[last] as never];
  }
  return pairs;
}

/** Key id of a token. */
function keyOf(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

const idOf = (token: string): unknown =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).jti;

const timeout = 60_000 + 100 * ROUNDS;

describe(`what one of ${THREADS} threads has answered as done is true on every other one (seed ${SEED}, ${ROUNDS} rounds)`, {
  timeout,
}, () => {
  const suite = callersOfSuite(CONFIG, THREADS);

  const refresh = () => Promise.all(suite.callers.map(caller => caller.refresh()));
  /** Rounds over all ordered pairs. */
  async function rounds(
    hold: (here: ThreadCaller, there: ThreadCaller, round: number) => Promise<void>,
  ): Promise<void> {
    const pairs = orderedPairs(suite.callers);
    for (let round = 0; round < ROUNDS; round++) {
      const [here, there] = pairs[round % pairs.length] as (typeof pairs)[number];
      await refresh();
      await hold(here, there, round).catch(error => {
        throw new Error(`round ${round}, thread ${here.thread}, then ${there.thread}: ${error.message}`, {
          cause: error,
        });
      });
    }
  }

  const done = async (answer: Promise<ThreadAnswer>): Promise<ThreadAnswer['body']> => {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
  const statusOf = async (answer: Promise<ThreadAnswer>): Promise<number> => (await answer).status;
  const publish = (caller: ThreadCaller, name: string, data = NUMBER): Promise<number> =>
    statusOf(caller.call('Publish', { name, data }));

  /** Without a body: an answer that does not wait for the body of its request ends the connection. */
  const isRefused = async (caller: ThreadCaller, token: string): Promise<boolean> =>
    (await statusOf(caller.call('WhoAmI', null, token))) === 401;

  it('open, and delete', async () => {
    await rounds(async (here, there, round) => {
      const name = `public:truth.channel.c${round}`;
      expect(await publish(there, name)).toBe(404);
      await done(here.call('OpenPublic', { name }));
      expect(await publish(there, name)).toBe(200);
      await done(here.call('DeleteChannel', { name }));
      expect(await publish(there, name)).toBe(404);
    });
  });

  it('revoke', async () => {
    await rounds(async (here, there, round) => {
      const { mgmt_token } = await done(here.call('IssueMgmt', { subject: `s${round}` }));
      const token = String(mgmt_token);
      expect(await statusOf(there.call('WhoAmI', {}, token))).toBe(200);
      await done(here.call('RevokeToken', { token_id: idOf(token) }));
      expect(await isRefused(there, token)).toBe(true);
    });
  });

  it('promote, and retire', async () => {
    await rounds(async (here, there) => {
      const { id } = await done(there.call('GenerateKey', {}));
      await done(here.call('PromoteKey', { id }));
      const token = String((await done(there.call('IssueMgmt', { subject: 's' })))['mgmt_token']);
      expect(keyOf(token)).toBe(id);
      expect(await statusOf(here.call('WhoAmI', {}, token))).toBe(200);
      expect(await statusOf(there.call('WhoAmI', {}, token))).toBe(200);
      // Only a key that does not sign can be retired.
      await done(here.call('PromoteKey', { id: keyOf(suite.server.token) }));
      expect(keyOf(String((await done(there.call('IssueMgmt', { subject: 's' })))['mgmt_token']))).toBe(
        keyOf(suite.server.token),
      );
      await done(here.call('RetireKey', { id }));
      expect(await isRefused(there, token)).toBe(true);
    });
  });

  it('a schema that is registered, changed and gone', async () => {
    await rounds(async (here, there, round) => {
      const name = `public:truth.schema.s${round % 20}`;
      const schemaOf = (type: string) => ({
        schema: { pattern: name, aspects: { any: { payload_schema: { properties: { n: { type } } } } } },
      });
      await done(here.call('OpenPublic', { name }));
      expect([await publish(there, name), await publish(there, name, TEXT)]).toEqual([200, 200]);
      await done(here.call('RegisterSchema', schemaOf('number')));
      expect([await publish(there, name), await publish(there, name, TEXT)]).toEqual([200, 400]);
      await done(here.call('UpdateSchema', schemaOf('string')));
      expect([await publish(there, name), await publish(there, name, TEXT)]).toEqual([400, 200]);
      await done(here.call('DeregisterSchema', { pattern: name }));
      expect([await publish(there, name), await publish(there, name, TEXT)]).toEqual([200, 200]);
    });
  });

  it(`a refresh token that comes to all threads at once has one winner (${RACES} rounds)`, async () => {
    const name = 'private:truth.room.1';
    await done(
      (suite.callers[0] as ThreadCaller).call('CreatePrivate', { name, ttl_seconds: 3600, subject: 's' }),
    );
    for (let round = 0; round < RACES; round++) {
      await refresh();
      const issuer = suite.callers[round % THREADS] as ThreadCaller;
      const scopes = [{ pattern: 'private:truth.**', verbs: ['subscribe'] }];
      const { refresh_token } = await done(issuer.call('IssueAccess', { subject: `s${round}`, scopes }));
      const answers = await Promise.all(
        suite.callers.map(caller => caller.call('RefreshToken', { refresh_token })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403]);
    }
  });
});

describe(`a limit of ${LIMIT} publishes in ${WINDOW_MS} ms`, { timeout }, () => {
  const suite = callersOfSuite(LIMITED, THREADS);

  /** Publishes of one connection, one after the other; answers how many were accepted. */
  async function publishes(caller: ThreadCaller, bearer: string): Promise<number> {
    let accepted = 0;
    for (let sent = 0; sent < LIMIT; sent++) {
      await caller.refresh();
      const { status } = await caller.call('Publish', { name: NAME, data: NUMBER }, bearer);
      expect([200, 429]).toContain(status);
      if (status === 200) accepted++;
    }
    return accepted;
  }

  it(`holds over ${THREADS} threads exactly`, async () => {
    const [first] = suite.callers as [ThreadCaller];
    await first.call('OpenPublic', { name: NAME });
    let withinOneWindow = 0;
    for (let round = 0; round < RACES; round++) {
      await Promise.all(suite.callers.map(caller => caller.refresh()));
      const { body } = await first.call('IssueMgmt', { subject: `s${round}` });
      const begin = performance.now();
      const accepted = await Promise.all(
        suite.callers.map(caller => publishes(caller, String(body['mgmt_token']))),
      );
      const windows = Math.floor((performance.now() - begin) / WINDOW_MS) + 1;
      if (windows === 1) withinOneWindow++;
      const sum = accepted.reduce((total, count) => total + count, 0);
      expect(sum).toBeGreaterThanOrEqual(LIMIT);
      expect(sum).toBeLessThanOrEqual(LIMIT * windows);
    }
    console.log(`a limit over ${THREADS} threads: ${RACES} rounds, ${withinOneWindow} within one window`);
  });
});
