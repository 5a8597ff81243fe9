import { defined } from '@msg/foundation/json';
import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';
import { readBehavior } from './behavior.ts';
import { readContract } from './contract.ts';
import { readSchemaFiles, type SchemaFile, type SchemaKind, schemaInvalid } from './files.ts';
import { readSurface, type SchemaLookup, surfaceInvalid } from './surface.ts';
import type { Catalog, ConnectionType, ItemType, SchemaIdentity, SurfaceEntry } from './types.ts';
import { Schemas, type Validator } from './validator.ts';

/** The source of a catalogue's types. */
export interface CatalogOptions {
  /** Schema directory; `./schemas` when it exists, else only the built-in types (dashboard details 4.1). */
  readonly dir?: string;
}

/**
 * Loads and checks all type schemas, so that an invalid custom type fails the start and not the first document.
 * @throws DashError SCHEMA_IO, SCHEMA_INVALID, SCHEMA_BEHAVIOR_INVALID, CONFIGURABLE_SURFACE_INVALID, CONTRACT_INVALID.
 */
export function loadCatalog(options: CatalogOptions = {}): Catalog {
  const files = readSchemaFiles(options.dir);
  const envelope = only(files, 'envelope');
  const theme = only(files, 'theme');
  const compiler = new Compiler(files);
  const items = versions(ofKind(files, 'items').map(file => compiler.item(file)));
  requireRenderings(items);
  return {
    envelope: envelope.schema,
    theme: theme.schema,
    base: envelope.id.slice(0, -`dashboard/${envelope.version}`.length),
    items,
    connections: versions(ofKind(files, 'connections').map(file => compiler.connection(file))),
    scopeSurfaces: compiler.scopeSurfaces(envelope.schema),
    validateEnvelope: compiler.validator(envelope),
    validateNode: compiler.reference(envelope, '#/$defs/node'),
    validateManifest: compiler.reference(envelope, '#/$defs/manifest'),
    validateTheme: compiler.validator(theme),
  };
}

/** Compiles each schema once. */
class Compiler {
  readonly #schemas = new Schemas();
  readonly #lookup: SchemaLookup;

  constructor(files: readonly SchemaFile[]) {
    this.#lookup = id => files.find(file => file.id === id)?.schema;
    for (const { file, schema } of files) {
      try {
        this.#schemas.add(schema);
      } catch (error) {
        throw schemaInvalid(file, reasonOf(error));
      }
    }
  }

  item(file: SchemaFile): ItemType {
    const { id, name, version, schema } = file;
    const validate = this.validator(file);
    const behavior = readBehavior(schema);
    const surface = readSurface(name, ownMember(schema, 'configurable'), schema, this.#lookup);
    return {
      id,
      name,
      version,
      schema,
      behavior,
      surface,
      validate,
      ...readContract(this.#schemas, name, schema),
    };
  }

  /** All errors are collected, because those at an unset secret are ignored. */
  connection(file: SchemaFile): ConnectionType {
    const { id, name, version, schema } = file;
    const validate = this.reference(file, '', true);
    const literal = ownMember(schema, 'literalQuery');
    const literalQuery = Array.isArray(literal) ? literal.map(String) : undefined;
    return defined({ id, name, version, schema, validate, validateQuery: this.#query(file), literalQuery });
  }

  #query({ file, schema }: SchemaFile): Validator | undefined {
    const query = ownMember(schema, 'querySchema');
    if (query === undefined) return undefined;
    if (!isJsonObject(query)) throw schemaInvalid(file, 'querySchema is not an object');
    try {
      return this.#schemas.compile(query);
    } catch (error) {
      throw schemaInvalid(file, `querySchema: ${reasonOf(error)}`);
    }
  }

  validator(file: SchemaFile): Validator {
    return this.reference(file, '');
  }

  reference(file: SchemaFile, fragment: string, always = false): Validator {
    try {
      return this.#schemas.compile({ $ref: `${file.id}${fragment}` }, always);
    } catch (error) {
      throw schemaInvalid(file.file, reasonOf(error));
    }
  }

  scopeSurfaces(envelope: JsonObject): Record<'$manifest' | '$theme', SurfaceEntry[]> {
    const scopes = ownMember(envelope, 'documentScopes') ?? {};
    if (!isJsonObject(scopes)) throw surfaceInvalid('documentScopes', '', 'not an object');
    const fields = { type: 'object', properties: ownMember(envelope, 'properties') ?? {} };
    const read = (scope: string, member: string): SurfaceEntry[] => {
      const surface = ownMember(scopes, scope);
      const keys = isJsonObject(surface) ? Object.entries(surface) : [];
      const nested = Object.fromEntries(keys.map(([key, descriptor]) => [`${member}.${key}`, descriptor]));
      const owner = { ...envelope, properties: fields.properties };
      return readSurface(scope, nested, owner, this.#lookup).map(entry => withoutMember(entry, member));
    };
    return { $manifest: read('$manifest', 'manifest'), $theme: read('$theme', 'theme') };
  }
}

/** Removes the scope's member: a surface is checked from the document's root and shown from the scope. */
function withoutMember(entry: SurfaceEntry, member: string): SurfaceEntry {
  const { path: _, ...rest } = entry;
  const field = entry.field.slice(member.length + 1);
  return { ...rest, field, label: entry.label === entry.field ? field : entry.label };
}

function ofKind(files: readonly SchemaFile[], kind: SchemaKind): SchemaFile[] {
  return files.filter(file => file.kind === kind);
}

function only(files: readonly SchemaFile[], kind: 'envelope' | 'theme'): SchemaFile {
  const newest = ofKind(files, kind).sort(byVersion)[0];
  if (newest !== undefined) return newest;
  throw schemaInvalid(kind === 'theme' ? 'theme/theme.schema.json' : 'dashboard.schema.json', 'missing');
}

function versions<T extends SchemaIdentity>(types: readonly T[]): Map<string, T[]> {
  return new Map(
    [...Map.groupBy(types, ({ name }) => name)].map(([name, all]) => [name, all.sort(byVersion)]),
  );
}

/** Highest version first. */
function byVersion(a: { version: string }, b: { version: string }): number {
  const left = a.version.split('.').map(Number);
  const right = b.version.split('.').map(Number);
  for (const [index, part] of right.entries()) if (part !== left[index]) return part - (left[index] ?? 0);
  return 0;
}

function requireRenderings(items: Catalog['items']): void {
  for (const type of [...items.values()].flat()) {
    const unknown = type.surface.find(
      ({ rendering }) => rendering !== undefined && items.get(rendering)?.[0]?.behavior.role !== 'widget',
    );
    if (unknown !== undefined)
      throw surfaceInvalid(type.name, unknown.field, `"${unknown.rendering}" must be the name of a widget`);
  }
}

function reasonOf(error: unknown): string {
  return (error as Error).message.slice(0, 300);
}
