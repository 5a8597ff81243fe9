import { choice, scalarType, setting, text, toggle } from '@msg/command-line';
import { entryList } from '@msg/command-line/internal';
import { ROLES, readPattern } from '@msg/core/internal';
import { required } from '@msg/foundation/shape';
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

const GROUP_ROLE = {
  if_group: required(name, 'the group whose members have the role'),
  role: required(choice(...ROLES), '`viewer`, `operator` or `admin`; of several the highest'),
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
  oidcRoles: setting(
    'auth.oidc.roles',
    entryList(GROUP_ROLE),
    [],
    'which methods members of a group may use; with roles, an ID token without one may do nothing',
  ),
  oidcAllowAll: setting(
    'auth.oidc.allow_all',
    toggle,
    false,
    'without grants and roles: every valid ID token has all rights',
  ),
} as const;
