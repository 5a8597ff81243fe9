import { link } from '#src/catalog/reference.ts';
import type { ConnectionType } from '#src/catalog/types.ts';
import { allViolations, cutViolations, type Violation } from '#src/catalog/violations.ts';
import { isJsonObject, type Json, type JsonObject, ownMember, setMember } from '#src/document/json.ts';
import { nearest } from '#src/document/nearest.ts';
import { formatPointer } from '#src/document/pointer.ts';
import type { ConnectionDeclaration } from '#src/document/types.ts';
import { DashError } from '#src/errors.ts';
import type { Resolution } from './context.ts';
import { Faults } from './faults.ts';
import type { ResolvedConnection } from './tree.ts';

/** A connection with the rows that are at hand: those of the static type. */
export interface WorkedConnection {
  readonly resolved: ResolvedConnection;
  readonly rows?: readonly Json[];
}

const SECRET_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Stage 7 (dashboard details 7). Nothing is dialled. @throws DashError CONNECTION_*, SECRET_*. */
export function resolveConnections(resolution: Resolution): Map<string, WorkedConnection> {
  const found = new Map<string, WorkedConnection>();
  const faults = new Faults();
  for (const [index, declaration] of (resolution.document.connections ?? []).entries()) {
    faults.attempt(() => {
      const { id } = declaration;
      const path = `connections[${index}]`;
      if (found.has(id))
        throw new DashError('CONNECTION_DUPLICATE_ID', `The connection "${id}" stands twice.`, { path, id });
      found.set(id, resolveConnection(resolution, declaration, path));
    });
  }
  faults.settle();
  return found;
}

function resolveConnection(
  resolution: Resolution,
  declaration: ConnectionDeclaration,
  path: string,
): WorkedConnection {
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
    const message = `The config of the connection "${id}" does not fit ${type.name}.`;
    const details = { path, id, type: type.name, violations: cutViolations(violations) };
    throw new DashError('CONNECTION_CONFIG_INVALID', message, details);
  }
  const rows = type.name === 'static' ? ownMember(filled, 'rows') : undefined;
  const names = [...secrets.names].sort();
  const missing = [...secrets.missing].sort();
  const resolved = {
    id,
    type: { ref, id: type.id, name: type.name, version: type.version },
    ...(config === undefined ? {} : { config }),
    ...(secretRefs === undefined ? {} : { secretRefs }),
    ...(names.length === 0 ? {} : { secrets: names }),
    ...(missing.length === 0 ? {} : { missingSecrets: missing }),
  };
  return Array.isArray(rows) ? { resolved, rows } : { resolved };
}

function linkConnection({ catalog }: Resolution, declaration: ConnectionDeclaration, path: string) {
  const linked = link(catalog.connections, 'connections', catalog.base, declaration);
  if ('type' in linked) return linked;
  const known = nearest(linked.ref, [...catalog.connections.keys()]);
  const { id } = declaration;
  const message = `The connection "${id}" names no known connection type: "${linked.ref.slice(0, 200)}".`;
  throw new DashError('CONNECTION_TYPE_UNRESOLVED', message, { path, id, ref: linked.ref, known });
}

/**
 * Rows of a static connection use only its `columns` where it declares them. A secret among them is not compared with
 * the keys of the document, which could guess it; what it stands for is not known, so nothing is undeclared then.
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
        message: `"${key}" is not among the columns`,
      })),
  );
}

/** The secrets of one connection: looked up to validate the config, and never kept. */
class Secrets {
  readonly names = new Set<string>();
  readonly missing = new Set<string>();
  private readonly excused: string[] = [];
  private readonly resolution: Resolution;
  private readonly path: string;

  constructor(resolution: Resolution, path: string) {
    this.resolution = resolution;
    this.path = path;
  }

  /** A copy with the values of secrets in place of their references. */
  fill(value: Json, at: readonly string[]): Json {
    if (Array.isArray(value)) return value.map((item, index) => this.fill(item, [...at, String(index)]));
    if (!isJsonObject(value)) return value;
    const keys = Object.keys(value);
    if (keys.length === 1 && keys[0] === '$secret') return this.read(value['$secret'], at);
    const filled: JsonObject = {};
    for (const key of keys) setMember(filled, key, this.fill(value[key] as Json, [...at, key]));
    return filled;
  }

  /** What a missing secret would have to look like is not known. */
  excuses(pointer: string): boolean {
    return this.excused.some(place => pointer === place || pointer.startsWith(`${place}/`));
  }

  private read(name: Json | undefined, at: readonly string[]): string {
    const path = [this.path, 'config', ...at].join('.');
    if (typeof name !== 'string' || !SECRET_NAME.test(name)) {
      throw new DashError('SECRET_INVALID', `A secret is named by letters, digits and "_" (${path}).`, {
        path,
      });
    }
    this.names.add(name);
    const { environment, requireSecrets } = this.resolution;
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && value !== '') return value;
    if (requireSecrets) {
      throw new DashError('SECRET_MISSING', `The environment variable ${name} is not set.`, { path, name });
    }
    this.missing.add(name);
    this.excused.push(formatPointer([...at]));
    return '';
  }
}
