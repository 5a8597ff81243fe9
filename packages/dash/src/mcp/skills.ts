import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';

/** The built-in skills: the same path from `src` and from `dist`. */
export const SKILL_DIRECTORY = resolve(import.meta.dirname, '../../skills');

const SUFFIX = '.md';
const FRONT_MATTER = /^---\n([\s\S]*?)\n---\n/;
const TYPES = ['guide', 'reference'];
const KINDS = ['workflow', 'items', 'tool'];

/** Front matter of a skill (dashboard details 14.1). */
export interface SkillSummary {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly kind: string;
  readonly applies_to: readonly string[];
  readonly covers?: readonly string[];
}

export interface Skill extends SkillSummary {
  /** The whole file, front matter included. */
  readonly body: string;
}

/** Skills by name. */
export type SkillPack = ReadonlyMap<string, Skill>;

/** Reads every skill of a directory, sorted by name. @throws Error naming the file that is not a skill. */
export function loadSkills(directory: string = SKILL_DIRECTORY): SkillPack {
  const files = readdirSync(directory).filter(file => file.endsWith(SUFFIX));
  const skills = files.map(file => readSkill(file, readFileSync(join(directory, file), 'utf8')));
  return new Map(skills.sort((a, b) => (a.name < b.name ? -1 : 1)).map(skill => [skill.name, skill]));
}

/** @throws DashError MCP_SKILL_NOT_FOUND `{name, known}`, the nearest name first. */
export function requireSkill(skills: SkillPack, name: string): Skill {
  const skill = skills.get(name);
  if (skill !== undefined) return skill;
  const details = { name, known: nearest(name, [...skills.keys()]) };
  throw new DashError(
    'MCP_SKILL_NOT_FOUND',
    `Skill "${display(name)}" does not exist; known: ${[...skills.keys()].slice(0, 20).join(', ')}.`,
    details,
  );
}

/** A skill without its body. */
export function summaryOf({ body: _body, ...summary }: Skill): SkillSummary {
  return summary;
}

/** Parses one skill file. @throws Error when its front matter is missing a key or names something else. */
export function readSkill(file: string, body: string): Skill {
  const fields = frontMatter(file, body);
  const required = (key: string): string => {
    const value = fields.get(key);
    if (value === undefined || value === '') throw new Error(`${file}: front matter without ${key}`);
    return value;
  };
  const skill = defined({
    name: required('name'),
    description: required('description'),
    type: required('type'),
    kind: required('kind'),
    applies_to: list(required('applies_to')),
    covers: fields.has('covers') ? list(required('covers')) : undefined,
    body,
  });
  if (`${skill.name}${SUFFIX}` !== file) throw new Error(`${file}: name is "${skill.name}"`);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(skill.name)) throw new Error(`${file}: name is not kebab case`);
  if (!TYPES.includes(skill.type)) throw new Error(`${file}: unknown type "${skill.type}"`);
  if (!KINDS.includes(skill.kind)) throw new Error(`${file}: unknown kind "${skill.kind}"`);
  return skill;
}

function frontMatter(file: string, body: string): Map<string, string> {
  const block = FRONT_MATTER.exec(body)?.[1];
  if (block === undefined) throw new Error(`${file}: no front matter`);
  return new Map(
    block.split('\n').map(line => {
      const at = line.indexOf(':');
      if (at < 1) throw new Error(`${file}: "${line}" must be a line of front matter, <key>: <value>`);
      return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    }),
  );
}

/** `[a, b]` or `a, b`. */
function list(text: string): string[] {
  return text
    .replace(/^\[(.*)\]$/, '$1')
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '');
}
