import { defined } from '@msg/foundation/json';
import { nearest } from '@msg/foundation/suggest';
import { link } from '../catalog/reference.ts';
import type { ConnectionType } from '../catalog/types.ts';
import type { Validator } from '../catalog/validator.ts';
import { allViolations, cutViolations, type Violation } from '../catalog/violations.ts';
import { didYouMean, display } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject, ownMember, setMember } from '../document/json.ts';
import { formatPointer } from '../document/pointer.ts';
import { type SecretReference, secretReference } from '../document/secret-reference.ts';
import type { ConnectionDeclaration } from '../document/types.ts';
import { DashError } from '../errors.ts';
import { ErrorCollector } from './error-collector.ts';
import type { Resolution } from './resolution.ts';
import type { ResolvedConnection } from './tree.ts';

/** A connection; one of the static type has its rows. */
export interface ResolvedSource {
  readonly resolved: ResolvedConnection;
  /** Checks the query of a bound item. */
  readonly validateQuery?: Validator;
  /** Members of that query that hold no variable. */
  readonly literalQuery?: readonly string[];
  readonly rows?: readonly Json[];
}

const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Stage 7 (dashboard details 7). It opens no connection. @throws DashError CONNECTION_*, SECRET_*. */
export function resolveConnections(resolution: Resolution): Map<string, ResolvedSource> {
  const sources = new Map<string, ResolvedSource>();
  const errors = new ErrorCollector();
  for (const [index, declaration] of (resolution.document.connections ?? []).entries()) {
    errors.check(() => {
      const { id } = declaration;
      const path = `connections[${index}]`;
      if (sources.has(id))
        throw new DashError(
          'CONNECTION_DUPLICATE_ID',
          `Connection id "${id}" is already used before ${path}.`,
          { path, id },
        );
      sources.set(id, resolveConnection(resolution, declaration, path));
    });
  }
  errors.throwIfAny();
  return sources;
}

function resolveConnection(
  resolution: Resolution,
  declaration: ConnectionDeclaration,
  path: string,
): ResolvedSource {
  const { id, config, secretRefs } = declaration;
  const { type, ref } = linkConnection(resolution, declaration, path);
  const secrets = new Secrets(resolution, path);
  const filled = secrets.fill(config ?? {}, []) as JsonObject;
  const fits = type.validate(filled);
  const violations = [
    ...(fits ? [] : allViolations(type.validate, pointer => secrets.excuses(pointer))),
    ...undeclaredColumns(type, config ?? {}, filled),
  ];
  if (violations.length > 0) {
    const message = `Config of connection "${id}" must be as type "${type.name}" says; got ${violations.length} violations.`;
    const details = { path, id, type: type.name, violations: cutViolations(violations) };
    throw new DashError('CONNECTION_CONFIG_INVALID', message, details);
  }
  const rows = type.name === 'static' ? ownMember(filled, 'rows') : undefined;
  const names = [...secrets.names].sort();
  const missing = [...secrets.missing].sort();
  const resolved = defined({
    id,
    type: { ref, id: type.id, name: type.name, version: type.version },
    config,
    secretRefs,
    secrets: names.length === 0 ? undefined : names,
    missingSecrets: missing.length === 0 ? undefined : missing,
  });
  const { validateQuery, literalQuery } = type;
  return defined({ resolved, validateQuery, literalQuery, rows: Array.isArray(rows) ? rows : undefined });
}

function linkConnection({ catalog }: Resolution, declaration: ConnectionDeclaration, path: string) {
  const linked = link(catalog.connections, 'connections', catalog.base, declaration);
  if ('type' in linked) return linked;
  const suggestions = nearest(linked.ref, [...catalog.connections.keys()]);
  const { id } = declaration;
  const message = `Type "${display(linked.ref)}" of connection "${id}" does not exist${didYouMean(suggestions)}`;
  throw new DashError('CONNECTION_TYPE_UNRESOLVED', message, {
    path,
    id,
    ref: linked.ref,
    known: suggestions,
  });
}

/**
 * Rows of a static connection may use only its declared `columns`. If one is a secret, nothing is compared, because
 * suggestions would let a document guess it.
 */
function undeclaredColumns({ name }: ConnectionType, config: JsonObject, filled: JsonObject): Violation[] {
  const columns = ownMember(config, 'columns');
  const rows = ownMember(filled, 'rows');
  if (name !== 'static' || !Array.isArray(columns) || !Array.isArray(rows)) return [];
  if (columns.some(isJsonObject)) return [];
  const declared = new Set(columns);
  return rows.flatMap((row, index) =>
    (isJsonObject(row) ? Object.keys(row) : [])
      .filter(key => !declared.has(key))
      .map(key => ({
        pointer: formatPointer(['rows', String(index), key]),
        keyword: 'columns',
        message: `key "${display(key)}" does not exist among the columns`,
      })),
  );
}

/** The secrets of one connection, which are looked up for the validation and not stored. */
class Secrets {
  readonly names = new Set<string>();
  readonly missing = new Set<string>();
  readonly #excused = new Set<string>();
  readonly #resolution: Resolution;
  readonly #path: string;

  constructor(resolution: Resolution, path: string) {
    this.#resolution = resolution;
    this.#path = path;
  }

  /** A copy with the values of secrets in place of their references. */
  fill(value: Json, at: readonly string[]): Json {
    if (Array.isArray(value)) return value.map((item, index) => this.fill(item, [...at, String(index)]));
    if (!isJsonObject(value)) return value;
    const reference = secretReference(value);
    if (reference !== undefined) return this.#read(reference, at);
    const filled: JsonObject = {};
    for (const key of Object.keys(value)) setMember(filled, key, this.fill(value[key] as Json, [...at, key]));
    return filled;
  }

  /** Ignores violations at a missing secret, whose value cannot be checked. */
  excuses(pointer: string): boolean {
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
      if (this.#excused.has(pointer.slice(0, end))) return true;
    }
    return false;
  }

  #read({ name, prefix }: SecretReference, at: readonly string[]): string {
    const path = [this.#path, 'config', ...at].join('.');
    if (typeof prefix !== 'string') {
      throw new DashError('SECRET_INVALID', `${display(path)}.prefix must be a text.`, { path });
    }
    if (typeof name !== 'string' || !SECRET_NAME.test(name)) {
      throw new DashError(
        'SECRET_INVALID',
        `${display(path)}.$secret must be a name of letters, digits and "_".`,
        {
          path,
        },
      );
    }
    this.names.add(name);
    const { environment, requireSecrets } = this.#resolution;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && value !== '') return `${prefix}${value}`;
    if (requireSecrets) {
      throw new DashError(
        'SECRET_MISSING',
        `Environment variable ${display(name)} is required by ${display(path)}.`,
        {
          path,
          name,
        },
      );
    }
    this.missing.add(name);
    this.#excused.add(formatPointer([...at]));
    return '';
  }
}
