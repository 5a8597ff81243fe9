import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { KeyUse } from '#src/connections/key-usage.ts';
import { NodeSurveys } from '#src/realtime/node-surveys.ts';

/** A token of the key that was seen then. */
function seen(sub: string, seenAt: number, fingerprint = 'f'): VerifiedToken {
  const token = new VerifiedToken({ sub, typ: 'mgmt', iat: 1, exp: 2 }, 'k-1', fingerprint);
  token.seenAt = seenAt;
  return token;
}

/** One node alone, whose verifier has cached these. */
function useOf(tokens: readonly VerifiedToken[]): KeyUse {
  const surveys: NodeSurveys = new NodeSurveys(() => ({
    operational: true,
    nodes: () => ['a'],
    survey: async (operation, data) =>
      new Map([['a', (await surveys.respond(operation, data)) ?? { code: 404, data: new Uint8Array(0) }]]),
  }));
  return new KeyUse({
    node: () => ({ connections: { all: () => [] } as never }), // no connection is read further
    surveys,
    clock: new ManualClock(),
    tokens: () => tokens,
    moments: () => [],
  });
}

describe('the holders of a key', () => {
  it('names the fifty that were seen last, each once', async () => {
    const many = Array.from({ length: 80 }, (_, index) => seen(`u-${index}`, 1000 + index));
    const { holders } = await useOf([...many, seen('u-0', 5000), seen('never', 0)]).everywhere();
    const listed = holders.get('k-1') ?? [];
    expect(listed.map(({ sub }) => sub).slice(0, 3)).toEqual(['u-0', 'u-79', 'u-78']);
    expect(listed).toHaveLength(50);
  });

  it('are not those of an identity provider', async () => {
    expect((await useOf([seen('ann', 7, '')]).everywhere()).holders.size).toBe(0);
  });
});
