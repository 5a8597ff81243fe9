import { expect, it } from 'vitest';
import { watchCommits } from './open-pages.ts';

/** What one run may leave behind: compiled code, and the caches of sizes that are bounded. */
const SLACK_BYTES = 12 * 2 ** 20;

// The long form, 200 pages and a commit each second for a minute, is `npm run dash:pages`.
it('every open page shows the last of many commits, and the memory of the server returns to where it was', async () => {
  const { behind, before, after, answers } = await watchCommits({ clients: 78, pages: 2, commits: 8 });
  expect(behind).toBe(0);
  expect(answers).toBeGreaterThanOrEqual(2 * 78);
  expect(after).toBeLessThan(before + SLACK_BYTES);
}, 240_000);
