import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { BroadcastTokenStore } from '#src/stores/broadcast.ts';
import type { TokenPair } from '#src/stores/token-store.ts';

const jwt = (iat: number): string => `h.${btoa(JSON.stringify({ iat }))}.s`;

/** The first two pairs of a channel of 30 s: only the first access token is granted a minute. */
const PAIRS: readonly (readonly [string, TokenPair, TokenPair])[] = [
  [
    'made at another second',
    { accessToken: jwt(1_000), refreshToken: 'r1', accessExp: 1_060, refreshExp: 1_030 },
    { accessToken: jwt(1_026), refreshToken: 'r2', accessExp: 1_030, refreshExp: 1_056 },
  ],
  [
    'that cannot be read',
    { accessToken: 'a1', refreshToken: 'r1', accessExp: 1_060, refreshExp: 1_030 },
    { accessToken: 'a2', refreshToken: 'r2', accessExp: 1_030, refreshExp: 1_056 },
  ],
  [
    'for a shorter channel',
    { accessToken: jwt(1_000), refreshToken: 'r1', accessExp: 1_300, refreshExp: 4_600 },
    { accessToken: jwt(1_001), refreshToken: 'r2', accessExp: 1_061, refreshExp: 1_061 },
  ],
  [
    'of a refresh token that is not rotated',
    { accessToken: jwt(1_000), refreshToken: 'r', accessExp: 1_060, refreshExp: 1_030 },
    { accessToken: jwt(1_020), refreshToken: 'r', accessExp: 1_030, refreshExp: 1_030 },
  ],
  [
    'without a refresh token',
    { accessToken: jwt(1_000), refreshToken: '', accessExp: 4_600, refreshExp: 0 },
    { accessToken: jwt(1_001), refreshToken: '', accessExp: 1_301, refreshExp: 0 },
  ],
];

/** What a tab would redeem, once it is the expected pair. */
const redeems = (tab: BroadcastTokenStore, pair: TokenPair): Promise<void> =>
  eventually(pair.refreshToken, async () => {
    const known = await tab.exclusively(() => tab.get());
    return known?.accessToken === pair.accessToken;
  });

const tabs: BroadcastTokenStore[] = [];
function openTab(): BroadcastTokenStore {
  const tab = new BroadcastTokenStore();
  tabs.push(tab);
  return tab;
}
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe.each(PAIRS)('of two pairs %s', (_, older, newer) => {
  test('every tab has the later one, however soon it ends', async () => {
    const [one, two] = [openTab(), openTab()];
    await one.set(older);
    await redeems(two, older);
    await one.set(newer);
    await redeems(two, newer);
  });

  test('a page does not take an earlier one, from a page before it', async () => {
    const [one, late] = [openTab(), openTab()];
    await one.set(newer);
    await late.set(older);
    await redeems(late, newer);
    expect(await one.get()).toEqual(newer);
  });

  test('a tab that has the earlier one waits for another that is slow to tell', async () => {
    const marks = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => marks.get(key) ?? null,
      setItem: (key: string, value: string) => marks.set(key, value),
    });
    vi.stubGlobal('navigator', undefined); // a lock would be granted at a time of its own
    const [busy, waiting] = [openTab(), openTab()];
    await busy.set(older);
    await redeems(waiting, older);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await busy.set(newer);
    const known = waiting.exclusively(() => waiting.get());
    vi.advanceTimersByTime(1_000);
    expect(await known).toEqual(newer);
  });
});
