import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Msg } from '#src/index.ts';

const HOUR_MS = 3_600_000;

let folder: string;
let msg: Msg;
const clock = new ManualClock();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-api-keys-'));
  msg = await Msg.create({
    stateDir: folder,
    clock,
    apiKeys: [{ name: 'declared', key: 'a-key-of-the-options-long-enough' }],
  });
});

afterAll(async () => {
  await msg.close();
  await rm(folder, { recursive: true, force: true });
});

const names = () => msg.apiKeys.list().map(({ name, declared }) => [name, declared]);

describe('the API keys of a service in the library', () => {
  it('are created, listed without their texts, rotated and revoked', async () => {
    const grants = [{ pattern: 'public:shop.**', verbs: ['publish'] as const }];
    const created = await msg.apiKeys.create({ name: 'shop', grants, ttlMs: 24 * HOUR_MS });
    expect(created).toMatchObject({ name: 'shop', key: expect.stringMatching(/^msgk_/) });
    expect(names()).toEqual([
      ['declared', true],
      ['shop', false],
    ]);
    expect(msg.apiKeys.list()[1]).toEqual({
      name: 'shop',
      declared: false,
      role: 'admin',
      grants,
      expiresAtMs: clock.now() + 24 * HOUR_MS,
      secrets: [{ id: created.id }],
    });

    const second = await msg.apiKeys.rotate('shop', { overlapMs: HOUR_MS });
    expect(msg.apiKeys.list()[1]?.secrets).toEqual([
      { id: created.id, expiresAtMs: clock.now() + HOUR_MS },
      { id: second.id },
    ]);
    expect(JSON.stringify(msg.apiKeys.list())).not.toContain(created.key.slice(14));

    await msg.apiKeys.revoke('shop');
    expect(names()).toEqual([['declared', true]]);
  });

  it('leave the secrets before a rotation a day, unless it says otherwise', async () => {
    await msg.apiKeys.create({ name: 'mail' });
    await msg.apiKeys.rotate('mail');
    const mail = msg.apiKeys.list().find(({ name }) => name === 'mail');
    expect(mail?.secrets[0]?.expiresAtMs).toBe(clock.now() + 24 * HOUR_MS);
  });

  it.each([
    ['a name in use', () => msg.apiKeys.create({ name: 'mail' })],
    ['a declared name', () => msg.apiKeys.revoke('declared')],
    ['an unknown name', () => msg.apiKeys.rotate('nobody')],
    [
      'a grant without a pattern',
      () => msg.apiKeys.create({ name: 'x', grants: [{ pattern: '', verbs: ['publish'] }] }),
    ],
  ])('refuse %s', async (_, call) => {
    await expect(call()).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
  });
});
