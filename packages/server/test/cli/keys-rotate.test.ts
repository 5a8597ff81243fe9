import { expect, it } from 'vitest';
import { runCli } from '../support/cli-io.ts';

it('keys rotate --wait retires the old key when it is safe, and tells on the way what it waits for', async () => {
  const calls: string[] = [];
  const verdicts = [
    {
      verdict: 'wait',
      reason: 'access tokens that it signed have not ended',
      wait_until: '2026-01-02T04:04:05.000Z',
    },
    { verdict: 'safe', reason: '', wait_until: '' },
  ];
  const answers: Readonly<Record<string, () => object>> = {
    ListKeys: () => ({ active_key_id: 'k-old', keys: [] }),
    GenerateKey: () => ({ id: 'k-new' }),
    PromoteKey: () => ({}),
    KeyUsage: () => ({ keys: [{ kid: 'k-old', ...verdicts.shift() }] }),
    RetireKey: () => ({}),
  };
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const method = String(url).split('/').at(-1) ?? '';
    calls.push(`${method} ${JSON.parse(String(init?.body))['id'] ?? ''}`.trim());
    return Response.json(answers[method]?.());
  };
  const { code, stderr, envelope } = await runCli(['keys', 'rotate', '--wait', '--token', 't'], { fetch });
  expect([code, stderr]).toEqual([
    0,
    'k-old wait: access tokens that it signed have not ended; until 2026-01-02T04:04:05.000Z\n',
  ]);
  expect(calls).toEqual([
    'ListKeys',
    'GenerateKey',
    'PromoteKey k-new',
    'KeyUsage',
    'KeyUsage',
    'RetireKey k-old',
  ]);
  expect(envelope).toMatchObject({
    type: 'msg.keys.rotated',
    payload: { id: 'k-new', replaced: 'k-old', retired: true },
  });
}, 20_000);
