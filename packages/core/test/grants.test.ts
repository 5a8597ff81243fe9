import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileGrants,
  coversScope,
  evaluateGrants,
  type GrantClaims,
  type ScopeClaim,
  VERBS,
} from '#src/grants.ts';

const evaluate = (claims: GrantClaims, channel: string, verb: 'subscribe' | 'publish' | 'manage') =>
  evaluateGrants(compileGrants(claims), channel, verb);

const name = 'private:shop.order.7';

describe('grant evaluation', () => {
  test.each<[string, GrantClaims, 'subscribe' | 'publish' | 'manage', boolean, string]>([
    ['no grants', {}, 'subscribe', false, 'none'],
    ['chs allows every verb', { chs: [name] }, 'manage', true, 'chs'],
    ['chs is exact', { chs: ['private:shop.order.8'] }, 'subscribe', false, 'none'],
    [
      'a scope allows its verb',
      { scopes: [{ pat: 'private:shop.**', v: ['publish'] }] },
      'publish',
      true,
      'allow-scope',
    ],
    [
      'a scope allows no other verb',
      { scopes: [{ pat: 'private:shop.**', v: ['manage'] }] },
      'publish',
      false,
      'none',
    ],
    [
      'deny beats chs',
      { chs: [name], scopes: [{ pat: 'private:shop.**', v: ['subscribe'], deny: true }] },
      'subscribe',
      false,
      'deny-scope',
    ],
    [
      'deny of another verb has no effect',
      { chs: [name], scopes: [{ pat: 'private:shop.**', v: ['publish'], deny: true }] },
      'subscribe',
      true,
      'chs',
    ],
    [
      'deny beats allow',
      {
        scopes: [
          { pat: name, v: ['subscribe'] },
          { pat: 'private:**', v: ['subscribe'], deny: true },
        ],
      },
      'subscribe',
      false,
      'deny-scope',
    ],
    [
      'never across visibility',
      { scopes: [{ pat: 'public:**', v: ['subscribe'] }] },
      'subscribe',
      false,
      'none',
    ],
    [
      'a malformed pattern matches nothing',
      { scopes: [{ pat: 'private:a*', v: ['subscribe'] }] },
      'subscribe',
      false,
      'none',
    ],
    ['verbs are case-sensitive', { scopes: [{ pat: name, v: ['Subscribe'] }] }, 'subscribe', false, 'none'],
  ])('%s', (_title, claims, verb, allowed, by) => {
    expect(evaluate(claims, name, verb)).toMatchObject({ allowed, by });
  });

  test('a malformed channel is denied even when it is listed', () => {
    expect(evaluate({ chs: ['private:a.b'] }, 'private:a.b', 'subscribe')).toEqual({
      allowed: false,
      by: 'grammar',
    });
  });

  const segments = fc.array(fc.constantFrom('a', 'b', '*'), { minLength: 2, maxLength: 4 });
  const pattern = fc
    .tuple(fc.constantFrom('public', 'private'), segments, fc.boolean())
    .map(([visibility, parts, open]) => `${visibility}:${parts.join('.')}${open ? '.**' : ''}`);
  const scope: fc.Arbitrary<ScopeClaim> = fc.record({
    pat: pattern,
    v: fc.subarray([...VERBS], { minLength: 1 }),
    deny: fc.boolean(),
  });
  const channel = fc
    .tuple(
      fc.constantFrom('public', 'private'),
      fc.array(fc.constantFrom('a', 'b'), { minLength: 3, maxLength: 4 }),
    )
    .map(([visibility, parts]) => `${visibility}:${parts.join('.')}`);
  const verb = fc.constantFrom(...VERBS);

  test('the order of scopes never matters', () => {
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 6 }), channel, verb, (scopes, target, wanted) => {
        const forward = evaluate({ scopes }, target, wanted);
        const backward = evaluate({ scopes: scopes.toReversed() }, target, wanted);
        expect(backward).toMatchObject({ allowed: forward.allowed, by: forward.by });
      }),
    );
  });

  test('a matching deny always wins', () => {
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 6 }), channel, verb, (scopes, target, wanted) => {
        const denied = [...scopes, { pat: target, v: [wanted], deny: true }];
        expect(evaluate({ chs: [target], scopes: denied }, target, wanted).by).toBe('deny-scope');
      }),
    );
  });

  test('adding a deny never allows more', () => {
    fc.assert(
      fc.property(
        fc.array(scope, { maxLength: 6 }),
        scope,
        channel,
        verb,
        (scopes, extra, target, wanted) => {
          const before = evaluate({ scopes }, target, wanted).allowed;
          const after = evaluate({ scopes: [...scopes, { ...extra, deny: true }] }, target, wanted).allowed;
          expect(after && !before).toBe(false);
        },
      ),
    );
  });

  test('scopes of one visibility never decide about the other', () => {
    fc.assert(
      fc.property(fc.array(scope, { maxLength: 6 }), channel, verb, (scopes, target, wanted) => {
        const other = target.startsWith('public') ? 'private:' : 'public:';
        const foreign = scopes.filter(item => item.pat.startsWith(other));
        expect(evaluate({ scopes: foreign }, target, wanted).by).toBe('none');
      }),
    );
  });
});

describe('scopes that a holder of grants may issue', () => {
  const all = ['manage', 'subscribe', 'publish'];
  test.each<[string, ScopeClaim[], ScopeClaim, boolean]>([
    ['the pattern itself', [{ pat: 'private:a.**', v: all }], { pat: 'private:a.**', v: ['publish'] }, true],
    ['a narrower pattern', [{ pat: 'private:a.**', v: all }], { pat: 'private:a.b.*', v: all }, true],
    ['a wider pattern', [{ pat: 'private:a.*', v: all }], { pat: 'private:a.**', v: ['subscribe'] }, false],
    [
      'a grant without manage',
      [{ pat: 'private:a.**', v: ['subscribe'] }],
      { pat: 'private:a.**', v: ['subscribe'] },
      false,
    ],
    [
      'a verb that the grant lacks',
      [{ pat: 'private:a.**', v: ['manage', 'subscribe'] }],
      { pat: 'private:a.**', v: ['subscribe', 'publish'] },
      false,
    ],
    [
      'two grants that cover it together, and neither alone',
      [
        { pat: 'private:a.**', v: ['manage'] },
        { pat: 'private:a.**', v: ['subscribe'] },
      ],
      { pat: 'private:a.**', v: ['subscribe'] },
      false,
    ],
    [
      'a deny scope that takes a part away',
      [
        { pat: 'private:a.**', v: all },
        { pat: 'private:*.secret.**', v: ['subscribe'], deny: true },
      ],
      { pat: 'private:a.**', v: ['subscribe'] },
      false,
    ],
    [
      'a deny scope beside it',
      [
        { pat: 'private:a.**', v: all },
        { pat: 'private:a.secret.**', v: all, deny: true },
      ],
      { pat: 'private:a.open.**', v: ['subscribe'] },
      true,
    ],
    ['a deny scope to be issued', [], { pat: 'private:**', v: all, deny: true }, true],
    ['a malformed pattern', [{ pat: 'private:**', v: all }], { pat: 'private:a.**.b', v: all }, false],
  ])('%s', (_case, scopes, scope, expected) => {
    expect(coversScope(compileGrants({ scopes }), scope)).toBe(expected);
  });
});
