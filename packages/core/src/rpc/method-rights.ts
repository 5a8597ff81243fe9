import type { Role } from './roles.ts';

/** What a call changes: nothing, or something. */
export type Effect = 'read' | 'write';

/** What the record of an audited call names. */
export type TargetKind =
  | 'channel'
  | 'kid'
  | 'jti'
  | 'user'
  | 'client'
  | 'dead_letter'
  | 'pattern'
  | 'api_key'
  | 'job'
  | 'recording';

/** The target of a call: a member of the request by its path (`schema.pattern`), or of the answer. */
export interface AuditTarget {
  readonly kind: TargetKind;
  readonly member: string;
  /** The caller cannot name it: the answer does. */
  readonly ofAnswer?: boolean;
  /** What is named where the member is empty: the request takes one of several. */
  readonly otherwise?: AuditTarget;
}

/**
 * Which calls of a method the audit records (console, section 6):
 * - `always`: those of every entry point;
 * - `console`: those of the console; elsewhere they are the traffic of backends, not acts of operators;
 * - `never`.
 */
export type AuditedCalls = 'always' | 'console' | 'never';

/** The columns of a method about the role of its callers and the records of the audit. Source: console, sections 5 and 6. */
export interface MethodRights {
  /** The lowest role of a management bearer; `null`: the method is public. */
  readonly role: Role | null;
  /** A request whose member is filled needs a higher role. */
  readonly raised?: { readonly member: string; readonly role: Role };
  readonly effect: Effect;
  readonly audited: AuditedCalls;
  /** Absent: the calls concern no single thing. */
  readonly target?: AuditTarget;
  /** Members of the request, or of the answer where the request has none of the name, whose values the record has. */
  readonly detail: readonly string[];
}

/** Rights of a method that changes nothing. */
export function reads(role: Role | null): MethodRights {
  return { role, effect: 'read', audited: 'never', detail: [] };
}

/** Rights of a method whose calls are acts of operators. */
export function writes(role: Role, target?: AuditTarget, detail: readonly string[] = []): MethodRights {
  const rights = { role, effect: 'write', audited: 'always', detail } as const;
  return target === undefined ? rights : { ...rights, target };
}

/** Rights of a method that backends call all the time. */
export function carries(
  role: Role | null,
  target?: AuditTarget,
  detail: readonly string[] = [],
): MethodRights {
  const rights = { role, effect: 'write', audited: 'console', detail } as const;
  return target === undefined ? rights : { ...rights, target };
}

/** A target that the request names. @param otherwise where the member is empty */
export function targets(kind: TargetKind, member: string, otherwise?: AuditTarget): AuditTarget {
  return otherwise === undefined ? { kind, member } : { kind, member, otherwise };
}

/** A target that the answer names. */
export function answers(kind: TargetKind, member: string): AuditTarget {
  return { kind, member, ofAnswer: true };
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null && value !== '';
}

/** The role that a request needs; `undefined` for a public method. */
export function neededRole({ role, raised }: MethodRights, request: unknown): Role | undefined {
  if (raised === undefined) return role ?? undefined;
  const value = (request as Readonly<Record<string, unknown>>)[raised.member]; // a message of the method
  return isFilled(value) ? raised.role : (role ?? undefined);
}
