import { entryList, required, scalarType, setting, text, toggle } from '@msg/command-line';
import { readPattern } from '@msg/core/internal';
import { verbs } from './setting-types.ts';

const name = scalarType<string>({
  placeholder: 'text',
  parse: value => (value === '' ? undefined : value),
  format: value => value,
  expected: 'a text that is not empty',
});

/** A scope pattern whose visibility may be `*`: both (messaging details, section 9). */
const grantScope = scalarType<string>({
  placeholder: 'pattern',
  parse: value => (readPattern(value.replace(/^\*:/, 'public:')) === undefined ? undefined : value),
  format: value => value,
  expected: 'a pattern such as public:**, private:app.order.* or *:app.**',
});

const GRANT = {
  if_group: required(name, 'the group whose members get the scope'),
  scope: required(grantScope, 'scope pattern; `*:` stands for both visibilities'),
  verbs: required(verbs, 'at least one of subscribe, publish, manage'),
} as const;

/** The identity-provider bridge (messaging details, section 9). */
export const OIDC_SETTINGS = {
  oidcIssuer: setting(
    'auth.oidc.issuer',
    text,
    '',
    'identity provider whose ID tokens are management bearers; empty: none',
  ),
  oidcAudience: setting(
    'auth.oidc.audience',
    text,
    '',
    'audience an ID token must have; required with an issuer',
  ),
  oidcSubjectClaim: setting(
    'auth.oidc.subject_claim',
    text,
    'sub',
    'claim that names the caller; `sub` where it is absent',
  ),
  oidcScopesClaim: setting(
    'auth.oidc.scopes_claim',
    text,
    'groups',
    'claim that holds the groups: a list, or a text separated by spaces',
  ),
  oidcGrants: setting('auth.oidc.grants', entryList(GRANT), [], 'what members of a group may do'),
  oidcAllowAll: setting(
    'auth.oidc.allow_all',
    toggle,
    false,
    'without grants: every valid ID token has all rights',
  ),
} as const;
