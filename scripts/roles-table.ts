import { METHODS, type MethodRights, type Role } from '@msg/core';
import { coversRole, ROLES } from '@msg/core/internal';
import { COMMAND_RIGHTS } from '@msg/server/internal';
import { markdownTable } from './markdown-table.ts';

const BEGIN = '<!-- generated: roles and methods -->';
const END = '<!-- end of the generated part -->';

const AUDITED: Readonly<Record<MethodRights['audited'], string>> = {
  always: 'yes',
  console: 'through the console',
  never: '',
};

function cellOf({ role, raised }: MethodRights, held: Role): string {
  if (role === null) return 'yes';
  if (!coversRole(held, role)) return '';
  return raised === undefined || coversRole(held, raised.role) ? 'yes' : `without \`${raised.member}\``;
}

function rowOf(name: string, rights: MethodRights, audited: string): string[] {
  const change = rights.effect === 'write' ? 'yes' : '';
  return [name, ...ROLES.map(role => cellOf(rights, role)), change, audited];
}

/** Which role may call what, from the method table and the commands of the HTTP API. */
export function rolesTable(): string {
  const methods = Object.entries(METHODS).map(([name, { rights }]) =>
    rowOf(`[${name}](rpc.md#${name.toLowerCase()})`, rights, AUDITED[rights.audited]),
  );
  // The console calls methods, not commands.
  const commands = Object.entries(COMMAND_RIGHTS).map(([name, rights]) =>
    rowOf(`\`${name}\` (HTTP API)`, rights, rights.audited === 'always' ? AUDITED.always : ''),
  );
  return markdownTable(['Method', ...ROLES, 'Changes something', 'Audited'], [...methods, ...commands]);
}

/** A page with the table between the marks. */
export function withRolesTable(page: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const after = rest.split(END)[1];
  if (after === undefined) throw new Error('docs/permissions.md lacks the marks of the table of roles');
  return `${before}${BEGIN}\n${rolesTable()}\n${END}${after}`;
}
