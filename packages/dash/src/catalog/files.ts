import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';

export type SchemaKind = 'envelope' | 'items' | 'connections' | 'theme';

/** One schema file: `$id` ends in `/<name>/<version>`. */
export interface SchemaFile {
  readonly kind: SchemaKind;
  /** Path below the schema directory, for errors. */
  readonly file: string;
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly schema: JsonObject;
}

const ENVELOPE_FILE = 'dashboard.schema.json';
const SUFFIX = '.schema.json';
const IDENTITY = /\/([^/]+)\/(\d+\.\d+\.\d+)$/;
const TYPE_NAME = /^[a-z][a-z0-9-]*$/;
const RESERVED = ['dashboard', 'theme'];

/** The built-in schemas: the same path from `src` and from `dist`. */
const BUILT_IN_SCHEMAS = resolve(import.meta.dirname, '../../schemas');

/**
 * Reads the schema files of a catalogue (dashboard details 4.1): with an envelope `dir` is a whole catalogue, otherwise
 * it overlays the built-in one. Without `dir`, `./schemas` is read if it exists.
 * @throws DashError SCHEMA_IO, SCHEMA_INVALID.
 */
export function readSchemaFiles(dir?: string): SchemaFile[] {
  const chosen = dir ?? (existsSync('schemas') ? 'schemas' : undefined);
  if (chosen === undefined) return readDirectory(BUILT_IN_SCHEMAS);
  const chosenFiles = readDirectory(chosen);
  if (chosenFiles.some(({ kind }) => kind === 'envelope')) return chosenFiles;
  const keys = new Set(chosenFiles.map(identity));
  return [...readDirectory(BUILT_IN_SCHEMAS).filter(file => !keys.has(identity(file))), ...chosenFiles];
}

function readDirectory(dir: string): SchemaFile[] {
  const files: SchemaFile[] = names(dir, dir)
    .filter(name => name === ENVELOPE_FILE)
    .map(name => readSchema(dir, 'envelope', name));
  for (const kind of ['items', 'connections', 'theme'] as const) {
    const folder = join(dir, kind);
    if (!existsSync(folder)) continue;
    files.push(...names(folder, dir).map(name => readSchema(dir, kind, `${kind}/${name}`)));
  }
  requireUnique(files);
  return files;
}

function names(folder: string, label: string): string[] {
  try {
    return readdirSync(folder, { encoding: 'utf8' })
      .filter(name => name.endsWith(SUFFIX))
      .sort();
  } catch {
    throw new DashError('SCHEMA_IO', `Schema directory "${label}" is not readable; check that it exists.`, {
      path: label,
    });
  }
}

function readSchema(dir: string, kind: SchemaKind, file: string): SchemaFile {
  const schema = parse(file, readText(dir, file));
  if (!isJsonObject(schema)) throw schemaInvalid(file, 'not a JSON object');
  const id = ownMember(schema, '$id');
  const [, name, version] = (typeof id === 'string' ? IDENTITY.exec(id) : null) ?? [];
  if (typeof id !== 'string' || name === undefined || version === undefined) {
    throw schemaInvalid(file, '$id does not end in /<name>/<x.y.z>');
  }
  const [stem = '', pinned] = (file.split('/').at(-1) ?? '').slice(0, -SUFFIX.length).split('@');
  if (name !== stem) throw schemaInvalid(file, `$id names "${name}", the file "${stem}"`);
  if (pinned !== undefined && pinned !== version) throw schemaInvalid(file, `$id has version ${version}`);
  if (!TYPE_NAME.test(name)) throw schemaInvalid(file, `"${name}" is not a legal name`);
  if (kind === 'items' && RESERVED.includes(name)) throw schemaInvalid(file, `"${name}" is reserved`);
  return { kind, file, id, name, version, schema };
}

function readText(dir: string, file: string): string {
  try {
    return readFileSync(join(dir, file), 'utf8');
  } catch {
    throw new DashError('SCHEMA_IO', `Schema file "${file}" is not readable; check its permissions.`, {
      path: file,
    });
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw schemaInvalid(file, 'not JSON');
  }
}

function requireUnique(files: readonly SchemaFile[]): void {
  const seen = new Set<string>();
  for (const file of files) {
    for (const key of [file.id, identity(file)]) {
      if (seen.has(key)) throw schemaInvalid(file.file, `${key} is already used by another file`);
      seen.add(key);
    }
  }
}

function identity({ kind, name, version }: SchemaFile): string {
  return `${kind} ${name} ${version}`;
}

/** SCHEMA_INVALID. */
export function schemaInvalid(file: string, reason: string): DashError {
  return new DashError('SCHEMA_INVALID', `Schema file "${file}" is not valid: ${reason}.`, {
    file,
    reason,
  });
}
