import type { Role } from '@msg/core';
import { coversRole, parseDuration, ROLES } from '@msg/core/internal';
import type { JSX } from 'preact';
import { session } from '../../app/session.ts';
import { ChoiceField, TextField } from '../../parts/field.tsx';

/** A lifetime such as `24h` within bounds, seconds; undefined for another text. */
export function secondsOf(text: string, least: number, most: number): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms >= least * 1000 && ms <= most * 1000 ? Math.round(ms / 1000) : undefined;
}

/** Role and lifetime of what is issued, as a form has them. */
export interface Term {
  readonly role: Role;
  readonly ttl: string;
}

/** A form that begins with the role of the session. */
export function termOf(ttl: string): Term {
  return { role: session.value?.role ?? 'viewer', ttl };
}

/** The fields of role and lifetime. The roles are those that are not wider than the session's. */
export function TermFields({
  id,
  term,
  isBad,
  help,
  onTerm,
}: {
  /** What the ids of the fields begin with. */
  readonly id: string;
  readonly term: Term;
  /** The lifetime is not one. */
  readonly isBad: boolean;
  readonly help: string;
  readonly onTerm: (term: Term) => void;
}): JSX.Element {
  const roles = ROLES.filter(role => coversRole(session.value?.role ?? 'viewer', role));
  return (
    <div class="pair">
      <ChoiceField
        id={`${id}-role`}
        label="Role"
        value={term.role}
        choices={roles.map(role => [role, role] as const)}
        onChoice={role => onTerm({ ...term, role: role as Role })}
      />
      <TextField
        id={`${id}-ttl`}
        label="Lifetime"
        text={term.ttl}
        onText={text => onTerm({ ...term, ttl: text.trim() })}
        isBad={isBad}
        help={help}
      />
    </div>
  );
}
