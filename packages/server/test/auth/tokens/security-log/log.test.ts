import {
  appendFile,
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MemoryRedemptionStore } from '#src/auth/tokens/refresh/memory.ts';
import { MemoryRevocationStore } from '#src/auth/tokens/revocation/memory.ts';
import { formatLine } from '#src/auth/tokens/security-log/line.ts';
import { SecurityLog } from '#src/auth/tokens/security-log/log.ts';
import { temporaryFolder } from '../../../support/folders.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The stores of one process over a state directory. */
async function process(folder: string, clock: Clock) {
  const log = new SecurityLog(folder);
  const revocations = new MemoryRevocationStore(clock, log);
  const redemptions = new MemoryRedemptionStore(clock, log);
  await log.open([revocations, redemptions]);
  onTestFinished(() => log.close());
  return { log, revocations, redemptions };
}

describe('the security log', () => {
  let clock: ManualClock;
  let folder: string;
  let path: string;
  const lines = async () => (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  const start = () => process(folder, clock);

  beforeEach(async () => {
    clock = new ManualClock();
    folder = await temporaryFolder();
    path = join(folder, 'security.log');
  });

  test('hands what was revoked and redeemed to the next process, as long as it is of use', async () => {
    const first = await start();
    await first.revocations.revokeToken('jti', 'leaked', DAY);
    await first.revocations.revokeUser('ann', clock.now() - 5000, DAY);
    const cutoff = clock.now();
    await first.revocations.revokeUser('ann', cutoff, DAY);
    expect(await first.redemptions.redeem('used', clock.now() + HOUR)).toBe(true);
    await first.redemptions.revokeFamily('dead', clock.now() + HOUR);
    // Nobody closed it: as after a crash.
    const second = await start();
    expect(second.revocations.lookup('jti', 'ann')).toEqual({ tokenRevoked: true, userCutoff: cutoff });
    expect(second.revocations.lookup('other', 'bob')).toEqual({ tokenRevoked: false, userCutoff: undefined });
    expect(await second.redemptions.redeem('used', clock.now() + HOUR)).toBe(false);
    expect(await second.redemptions.isFamilyRevoked('dead')).toBe(true);
    await clock.advance(HOUR + 1);
    const third = await start();
    expect(await third.redemptions.isFamilyRevoked('dead')).toBe(false);
    expect(await third.redemptions.redeem('used', clock.now() + HOUR)).toBe(true);
    expect(third.revocations.lookup('jti', 'ann').tokenRevoked).toBe(true);
    await clock.advance(DAY);
    expect((await start()).revocations.lookup('jti', 'ann').tokenRevoked).toBe(false);
  });

  test('is made 0600, also where it was there with other rights; no other file stays', async () => {
    const first = await start();
    await first.revocations.revokeToken('jti', '', DAY);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await chmod(path, 0o644);
    await start();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['security.log']);
  });

  test('is written before a call answers, each once, in the order of the calls', async () => {
    const { revocations } = await start();
    const calls = Array.from({ length: 50 }, (_, index) => revocations.revokeToken(`t${index}`, '', DAY));
    await calls[0];
    expect((await lines()).length).toBeGreaterThan(0);
    await Promise.all(calls);
    expect((await lines()).map(line => JSON.parse(line).id)).toEqual(calls.map((_, index) => `t${index}`));
  });

  test('a torn last line is dropped, wherever it was torn, and the file goes on behind the line before', async () => {
    const first = await start();
    await first.revocations.revokeToken('a', '', DAY);
    await first.revocations.revokeToken('b', '', DAY);
    await first.log.close();
    const whole = await readFile(path);
    const begin = whole.indexOf('\n') + 1;
    for (const size of [begin, begin + 1, begin + 20, whole.length - 1]) {
      await writeFile(path, whole);
      await truncate(path, size);
      const next = await start();
      expect(next.revocations.lookup('a', '').tokenRevoked).toBe(true);
      expect(next.revocations.lookup('b', '').tokenRevoked).toBe(false);
      await next.revocations.revokeToken('c', '', DAY);
      await next.log.close();
      expect((await lines()).map(line => JSON.parse(line).id)).toEqual(['a', 'c']);
    }
  });

  test('zeros behind the last line, as a power cut leaves them, are a torn line too', async () => {
    const first = await start();
    await first.revocations.revokeToken('a', '', DAY);
    await first.log.close();
    await appendFile(path, Buffer.alloc(512));
    expect((await start()).revocations.lookup('a', '').tokenRevoked).toBe(true);
  });

  test.each([
    ['a changed id', (text: string) => text.replace('"secret-id"', '"secret-iD"')],
    ['a line that is no JSON', (text: string) => `what is stored\n${text}`],
    ['an empty line', (text: string) => `\n${text}`],
    ['a line without its checksum', (text: string) => text.replace(/,"crc":"[^"]*"/, '')],
  ])('%s refuses the start, and says what to do', async (_case, broken) => {
    const first = await start();
    await first.revocations.revokeToken('secret-id', '', DAY);
    await first.revocations.revokeToken('b', '', DAY);
    await first.log.close();
    const text = broken(await readFile(path, 'utf8'));
    await writeFile(path, text);
    const failure = await start().catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringMatching(
        /^security log .*security\.log: line 1 cannot be read; restore it from a backup, or remove it/,
      ),
    });
    expect(String(failure)).not.toMatch(/secret|what is stored/);
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('a kind of entry that this version does not know refuses the start', async () => {
    const other = { kind: 'pardon', id: 'a', until: clock.now() + DAY } as never; // of a version to come
    await writeFile(path, `${formatLine(other)}\n`);
    await expect(start()).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
  });

  test('what is over goes at the start', async () => {
    const first = await start();
    for (let serial = 0; serial < 20; serial++) {
      await first.redemptions.redeem(`t${serial}`, clock.now() + (serial % 2 === 0 ? HOUR : DAY));
    }
    await first.log.close();
    await clock.advance(2 * HOUR);
    await start();
    expect(await lines()).toHaveLength(10);
  });

  test('in use it is compacted when it has twice the lines that are of use', async () => {
    const { redemptions } = await start();
    await Promise.all(
      Array.from({ length: 300 }, (_, serial) => redemptions.redeem(`long${serial}`, clock.now() + DAY)),
    );
    let most = 0;
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 200 }, (_, serial) =>
          redemptions.redeem(`r${round}.${serial}`, clock.now() + 1000),
        ),
      );
      most = Math.max(most, (await lines()).length);
      await clock.advance(10 * 60_000);
    }
    expect(most).toBeLessThan(1500);
    const next = await start();
    for (const serial of [0, 150, 299]) {
      expect(await next.redemptions.redeem(`long${serial}`, clock.now() + DAY)).toBe(false);
    }
  });

  test('a file that is gone, or was replaced by another process, is gone on with', async () => {
    const first = await start();
    await first.revocations.revokeToken('a', '', DAY);
    await rm(path);
    await first.revocations.revokeToken('b', '', DAY);
    expect((await lines()).map(line => JSON.parse(line).id)).toEqual(['a', 'b']);
    // The next process compacts, while this one still drains.
    const second = await start();
    await second.revocations.revokeToken('c', '', DAY);
    await rename(path, `${path}.moved`);
    await writeFile(path, await readFile(`${path}.moved`));
    await first.revocations.revokeToken('d', '', DAY);
    await second.revocations.revokeToken('e', '', DAY);
    const third = await start();
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      expect(third.revocations.lookup(id, '').tokenRevoked).toBe(true);
  });

  test('what cannot be written did not happen; when it can again, all is well', async () => {
    const { revocations, redemptions } = await start();
    await revocations.revokeToken('before', '', DAY);
    // Neither appending nor a new file is possible any more.
    await rm(folder, { recursive: true });
    const failed = {
      code: 'MSG_INTERNAL',
      message: expect.stringContaining(`security log ${path}: ENOENT`),
    };
    await expect(revocations.revokeToken('a', '', DAY)).rejects.toMatchObject(failed);
    await expect(revocations.revokeUser('ann', clock.now(), DAY)).rejects.toMatchObject(failed);
    await expect(redemptions.redeem('r', clock.now() + HOUR)).rejects.toMatchObject(failed);
    await expect(redemptions.revokeFamily('f', clock.now() + HOUR)).rejects.toMatchObject(failed);
    expect(revocations.lookup('a', 'ann')).toEqual({ tokenRevoked: false, userCutoff: undefined });
    expect(await redemptions.isFamilyRevoked('f')).toBe(true);
    await mkdir(folder);
    expect(await redemptions.redeem('r', clock.now() + HOUR)).toBe(true);
    const next = await start();
    expect(next.revocations.lookup('before', '').tokenRevoked).toBe(true);
    expect(await next.redemptions.redeem('r', clock.now() + HOUR)).toBe(false);
    expect(await next.redemptions.isFamilyRevoked('f')).toBe(true);
  });

  test('a directory that is not there is an error of the start', async () => {
    await rm(folder, { recursive: true });
    await expect(start()).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
  });
});
