/** The roles of management bearers; each has the rights of those before it. Source: console, section 5. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;

/** A role of a management bearer. */
export type Role = (typeof ROLES)[number];

const RANK: Readonly<Record<Role | 'none', number>> = { none: 0, viewer: 1, operator: 2, admin: 3 };

export function isRole(value: unknown): value is Role {
  return ROLES.some(role => role === value);
}

/** Whether a bearer of one role has the rights of another. `none`: a known bearer that may do nothing. */
export function coversRole(held: Role | 'none', needed: Role): boolean {
  return RANK[held] >= RANK[needed];
}

/** The role with the most rights; `none` without one. */
export function highestRole(roles: readonly Role[]): Role | 'none' {
  return ROLES.findLast(role => roles.includes(role)) ?? 'none';
}
