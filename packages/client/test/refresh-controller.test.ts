import { MsgError } from '@msg/core';
import { expect, test } from 'vitest';
import { RefreshController } from '#src/refresh-controller.ts';
import { MemoryTokenStore, type TokenPair } from '#src/stores/token-store.ts';

const pair = (n: number, accessExp: number): TokenPair => ({
  accessToken: `a${n}`,
  refreshToken: `r${n}`,
  accessExp,
  refreshExp: 9_000,
});

/** A controller at second 1000, with skew 30 and the middle of every random range. */
async function at1000(
  initial: TokenPair | null,
  redeem: (token: string) => Promise<TokenPair>,
  renew?: () => Promise<TokenPair>,
) {
  let now = 1_000_000;
  const store = new MemoryTokenStore();
  if (initial !== null) await store.set(initial);
  const ended: MsgError[] = [];
  const waits: { ms: number; task: () => void; cancelled: boolean }[] = [];
  const controller = new RefreshController({
    store,
    redeem,
    renew,
    skewSeconds: 30,
    now: () => now,
    random: () => 0.5,
    onTerminal: error => ended.push(error),
    setTimer(ms, task) {
      const wait = { ms, task, cancelled: false };
      waits.push(wait);
      return () => {
        wait.cancelled = true;
      };
    },
  });
  const pass = (seconds: number): void => {
    now += seconds * 1000;
  };
  return { controller, store, ended, waits, pass };
}

const never = () => Promise.reject(new Error('must not be asked'));

test('a fresh token is returned without a call', async () => {
  const { controller } = await at1000(pair(1, 1_031), never);
  expect(await controller.token()).toBe('a1');
});

test('concurrent callers share one redemption, and find its pair persisted', async () => {
  const asked: string[] = [];
  const { controller, store } = await at1000(pair(1, 1_030), async token => {
    asked.push(token);
    return pair(2, 1_300);
  });
  const stored = () => controller.token().then(() => store.get());
  expect(await Promise.all([stored(), stored(), stored()])).toEqual(Array(3).fill(pair(2, 1_300)));
  expect(asked).toEqual(['r1']);
});

test('an empty refresh token in the answer keeps the old one', async () => {
  const { controller, store } = await at1000(pair(1, 0), async () => ({
    ...pair(2, 1_300),
    refreshToken: '',
  }));
  await controller.token();
  expect(await store.get()).toEqual({ ...pair(2, 1_300), refreshToken: 'r1' });
});

test('the timer redeems ahead of the expiry and sets the next timer', async () => {
  const { controller, store, waits } = await at1000(pair(1, 1_300), async () => pair(2, 1_400));
  await controller.start();
  expect(waits.map(wait => wait.ms)).toEqual([267_500]);
  waits[0]?.task();
  await expect.poll(() => store.get()).toEqual(pair(2, 1_400));
  await expect.poll(() => waits.map(wait => wait.ms)).toEqual([267_500, 367_500]);
});

test('a life shorter than the skew is used by half', async () => {
  const { controller, waits } = await at1000(pair(1, 1_020), never);
  await controller.start();
  expect(waits.map(wait => wait.ms)).toEqual([10_000]);
});

test('stop cancels the timer', async () => {
  const { controller, waits } = await at1000(pair(1, 1_300), never);
  await controller.start();
  controller.stop();
  expect(waits.map(wait => wait.cancelled)).toEqual([true]);
});

test.each([
  ['a fresh', pair(1, 1_300)],
  ['a redeemed', pair(1, 1_020)],
])('a stop while the page wakes leaves no timer for %s token', async (_, initial) => {
  const { controller, waits } = await at1000(initial, async () => pair(2, 1_400));
  await controller.start();
  controller.wake();
  controller.stop();
  await new Promise(resolve => setImmediate(resolve)); // nothing that wake began lasts longer
  expect(waits.filter(({ cancelled }) => !cancelled)).toEqual([]);
});

test.each(['MSG_AUTH_DENIED', 'MSG_AUTH_EXPIRED', 'MSG_CHANNEL_NOT_FOUND'] as const)(
  '%s is terminal',
  async code => {
    const { controller, store, ended } = await at1000(pair(1, 0), () =>
      Promise.reject(new MsgError(code, 'no')),
    );
    await expect(controller.token()).rejects.toMatchObject({ code });
    expect(await store.get()).toBeNull();
    expect(ended.map(error => error.code)).toEqual([code]);
  },
);

test('without a refresh token the end is MSG_AUTH_EXPIRED', async () => {
  const { controller, ended } = await at1000({ ...pair(1, 0), refreshToken: '' }, never);
  await expect(controller.token()).rejects.toMatchObject({ code: 'MSG_AUTH_EXPIRED' });
  expect(ended).toHaveLength(1);
});

test('a recoverable failure is thrown on, keeps the pair, and the timer tries again', async () => {
  const down = () => Promise.reject(new MsgError('MSG_BROKER_NOT_READY', 'down'));
  const { controller, store, ended, waits } = await at1000(pair(1, 1_020), down);
  await expect(controller.token()).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  await controller.start();
  waits[0]?.task();
  await expect.poll(() => waits.map(wait => wait.ms)).toEqual([10_000, 5_000]);
  expect(await store.get()).toEqual(pair(1, 1_020));
  expect(ended).toEqual([]);
});

/** Answers of the application, in order; each one names its number. */
function application(...pairs: (TokenPair | Error)[]) {
  let asked = 0;
  const renew = async (): Promise<TokenPair> => {
    const answer = pairs[asked++];
    if (answer instanceof Error) throw answer;
    return answer ?? never();
  };
  return { renew, asked: () => asked };
}
const denied = () => Promise.reject(new MsgError('MSG_AUTH_DENIED', 'used before'));

test('the application is asked when nothing is stored', async () => {
  const { renew, asked } = application(pair(1, 1_300));
  const { controller, store, waits } = await at1000(null, never, renew);
  await controller.start();
  expect(await Promise.all([controller.token(), controller.token()])).toEqual(['a1', 'a1']);
  expect(asked()).toBe(1);
  expect(await store.get()).toEqual(pair(1, 1_300));
  expect(waits.map(wait => wait.ms)).toEqual([267_500]);
});

test('the application is asked instead of ending, and a second terminal answer within 30 s ends', async () => {
  const { renew, asked } = application(pair(2, 1_001), pair(3, 2_000));
  const { controller, ended, pass } = await at1000(pair(1, 0), denied, renew);
  expect(await controller.token()).toBe('a2');
  pass(29);
  await expect(controller.token()).rejects.toMatchObject({ code: 'MSG_AUTH_DENIED' });
  expect(asked()).toBe(1);
  expect(ended.map(error => error.code)).toEqual(['MSG_AUTH_DENIED']);
});

test('after 30 s the application is asked again', async () => {
  const { renew, asked } = application(pair(2, 1_001), pair(3, 2_000));
  const { controller, ended, pass } = await at1000(pair(1, 0), denied, renew);
  await controller.token();
  pass(30);
  expect(await controller.token()).toBe('a3');
  expect(asked()).toBe(2);
  expect(ended).toEqual([]);
});

test('an application that cannot answer now is asked again; one that refuses ends', async () => {
  const refusal = new MsgError('MSG_AUTH_DENIED', 'signed out');
  const { renew } = application(new TypeError('no network'), refusal);
  const { controller, ended } = await at1000(null, never, renew);
  await expect(controller.token()).rejects.toThrow('no network');
  expect(ended).toEqual([]);
  await expect(controller.token()).rejects.toBe(refusal);
  expect(ended).toEqual([refusal]);
});

test('credentials without a refresh token are used to their end, then the application is asked', async () => {
  const access = (n: number, accessExp: number) => ({
    ...pair(n, accessExp),
    refreshToken: '',
    refreshExp: 0,
  });
  const { renew, asked } = application(access(1, 1_020), access(2, 1_080));
  const { controller, pass } = await at1000(null, never, renew);
  expect(await controller.token()).toBe('a1');
  pass(19); // within the skew, and within 30 s of the last answer
  expect(await controller.token()).toBe('a1');
  expect(asked()).toBe(1);
  pass(11);
  expect(await controller.token()).toBe('a2');
});

const refusal = new MsgError('MSG_AUTH_DENIED', 'invalid token');

test('a token that the service refuses is replaced though it seems fresh, by the refresh token', async () => {
  const { renew, asked } = application();
  const { controller, store, ended } = await at1000(pair(1, 1_300), async () => pair(2, 1_300), renew);
  await controller.refuse('a1', refusal);
  expect(await controller.token()).toBe('a2');
  await controller.refuse('a1', refusal); // said late, by a connection that had it still
  expect(await controller.token()).toBe('a2');
  expect([await store.get(), asked(), ended]).toEqual([pair(2, 1_300), 0, []]);
});

test('of two refused within 30 s the second is replaced by the application, and the third ends with the reason', async () => {
  const { renew, asked } = application(pair(3, 1_300), pair(4, 1_300));
  const { controller, ended, pass } = await at1000(pair(1, 1_300), async () => pair(2, 1_300), renew);
  const tokens: string[] = [];
  for (const refused of ['a1', 'a2']) {
    await controller.refuse(refused, refusal);
    tokens.push(await controller.token());
    pass(10);
  }
  expect(tokens).toEqual(['a2', 'a3']);
  await controller.refuse('a3', refusal);
  await expect(controller.token()).rejects.toBe(refusal);
  expect([asked(), ended]).toEqual([1, [refusal]]);
});

test('refusals that are 30 s apart are each the first', async () => {
  let redeemed = 1;
  const { controller, ended, pass } = await at1000(pair(1, 1_300), async () => pair(++redeemed, 1_300));
  for (const [refused, next] of [
    ['a1', 'a2'],
    ['a2', 'a3'],
  ] as const) {
    await controller.refuse(refused, refusal);
    expect(await controller.token()).toBe(next);
    pass(30);
  }
  expect(ended).toEqual([]);
});

test('without a refresh token the application is asked once, then the end has the reason of the refusal', async () => {
  const access = (n: number) => ({ ...pair(n, 1_300), refreshToken: '', refreshExp: 0 });
  const { renew } = application(access(2), access(3));
  const { controller, store, ended } = await at1000(access(1), never, renew);
  await controller.refuse('a1', refusal);
  expect(await controller.token()).toBe('a2');
  await controller.refuse('a2', refusal);
  await expect(controller.token()).rejects.toBe(refusal);
  expect([await store.get(), ended]).toEqual([null, [refusal]]);
});

test('a refusal of tokens that the store does not take is known all the same', async () => {
  const { controller, store } = await at1000(pair(1, 1_300), async () => pair(2, 1_300));
  store.set = () => Promise.reject(new Error('quota'));
  await controller.refuse('a1', refusal);
  expect(await controller.token()).toBe('a2');
});
