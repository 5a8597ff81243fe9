import { describe, expect, test } from 'vitest';
import { groupsOf, scopesOf } from '#src/auth/access/oidc/grants.ts';
import { checkOidc, type OidcOptions } from '#src/auth/access/oidc/options.ts';
import { isTrustworthy } from '#src/config/issuer-address.ts';

const OPTIONS: OidcOptions = { issuer: 'https://idp.example.com', audience: 'msg', allowAll: true };

describe('groups of a claim', () => {
  test.each([
    [
      ['a', 'b', 7, null],
      ['a', 'b'],
    ],
    ['a', ['a']],
    ['a b  c', ['a', 'b', 'c']],
    ['a,b', ['a,b']],
    [['a b'], ['a b']],
    [undefined, []],
    [{ a: true }, []],
    ['', []],
  ])('%j names %j', (claim, groups) => {
    expect([...groupsOf(claim)]).toEqual(groups);
  });

  test('match exactly and give their scopes in the order of the grants', () => {
    const { grants } = checkOidc({
      ...OPTIONS,
      grants: [
        { ifGroup: 'ops', scope: 'private:**', verbs: ['manage'] },
        { ifGroup: 'Ops', scope: 'public:never.**', verbs: ['manage'] },
        { ifGroup: 'readers', scope: '*:app.**', verbs: ['subscribe', 'publish'] },
      ],
    });
    expect(scopesOf(new Set(['readers', 'ops']), grants ?? [])).toEqual([
      { pat: 'private:**', v: ['manage'] },
      { pat: 'public:app.**', v: ['subscribe', 'publish'] },
      { pat: 'private:app.**', v: ['subscribe', 'publish'] },
    ]);
    expect(scopesOf(new Set(['OPS']), grants ?? [])).toEqual([]);
  });
});

describe('options of the bridge', () => {
  test.each<[Partial<OidcOptions>, string]>([
    [{ issuer: 'http://idp.example.com' }, 'auth.oidc.issuer: must be an https: address'],
    [{ issuer: 'nonsense' }, 'auth.oidc.issuer: '],
    [{ audience: '' }, 'auth.oidc.audience: is required when issuer is set'],
    [{ allowAll: false }, 'auth.oidc.grants: is required'],
    [{ allowAll: false, grants: [] }, 'auth.oidc.grants: is required'],
    [{ grants: [{ ifGroup: '', scope: 'public:**', verbs: ['manage'] }] }, 'auth.oidc.grants[0].if_group'],
    [{ grants: [{ ifGroup: 'a', scope: 'public:**', verbs: [] }] }, 'auth.oidc.grants[0].verbs'],
    [{ grants: [{ ifGroup: 'a', scope: 'any:**', verbs: ['manage'] }] }, 'auth.oidc.grants[0].scope'],
    [{ grants: [{ ifGroup: 'a', scope: '*:**.b', verbs: ['manage'] }] }, 'auth.oidc.grants[0].scope'],
  ])('%j is refused by key', (options, problem) => {
    expect(() => checkOidc({ ...OPTIONS, ...options })).toThrow(problem);
  });

  test('grants win over allow_all: nothing is wider than they say', () => {
    const grants = [{ ifGroup: 'a', scope: 'public:**', verbs: ['publish'] }] as const;
    expect(checkOidc({ ...OPTIONS, grants }).grants).toHaveLength(1);
    expect(checkOidc(OPTIONS).grants).toBeNull();
  });

  test.each([
    ['https://idp.example.com/realms/ops', true],
    ['http://localhost:8080', true],
    ['http://127.0.0.1', true],
    ['http://127.3.2.1:9', true],
    ['http://[::1]:9', true],
    ['http://idp.example.com', false],
    ['http://127.0.0.1.example.com', false],
    ['http://localhost.example.com', false],
    ['ftp://localhost', false],
    ['', false],
  ])('the address %j is trusted: %s', (address, expected) => {
    expect(isTrustworthy(address)).toBe(expected);
  });
});
