import type { JsonObject } from '../document/json.ts';
import type { Cursor } from './cursor.ts';
import { CONNECTION_ID, Names } from './names.ts';
import type { ReportBuilder } from './report.ts';
import type { TargetSource } from './source.ts';

/** Types of connections by the names of Grafana's plugins. */
const PLUGINS: ReadonlyMap<string, ConnectionKind> = new Map([
  ['prometheus', 'prometheus'],
  ['grafana-amazonprometheus-datasource', 'prometheus'],
  ['grafana-azureprometheus-datasource', 'prometheus'],
  ['postgres', 'sql'],
  ['grafana-postgresql-datasource', 'sql'],
]);
const LEAST_REFRESH = 5;
const MOST_REFRESH = 86_400;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export type ConnectionKind = 'prometheus' | 'sql';

/** A data source of the file, as a connection of the document. */
export interface ImportedConnection {
  readonly kind: ConnectionKind;
  readonly id: string;
}

/** What the connections of a document are made from. */
export interface DataSourceOptions {
  /** Addresses by `uid`, name or variable of a data source. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Types of connections that the catalogue has. */
  readonly kinds: ReadonlySet<string>;
  /** Variables and inputs of the file that stand for a data source, with their plugin. */
  readonly variables: ReadonlyMap<string, Cursor>;
  readonly refresh: Cursor;
}

/** The connections of a document, one for each data source that a panel asks. */
export class DataSources {
  readonly connections: JsonObject[] = [];
  readonly #byKey = new Map<string, ImportedConnection>();
  readonly #ids = new Names(CONNECTION_ID);
  readonly #options: DataSourceOptions;
  readonly #report: ReportBuilder;
  readonly #used = new Set<string>();

  constructor(options: DataSourceOptions, report: ReportBuilder) {
    this.#options = options;
    this.#report = report;
  }

  /** Data sources that panels ask and without an address. */
  get withoutAddress(): string[] {
    return [...this.#byKey.keys()].filter(key => !this.#options.addresses.has(key));
  }

  /** Keys of addresses that no data source of the file has. */
  get unused(): string[] {
    return [...this.#options.addresses.keys()].filter(key => !this.#used.has(key));
  }

  /** All data sources that panels ask. */
  get keys(): string[] {
    return [...this.#byKey.keys()];
  }

  /** The connection of a query; the reason when dash has none like its data source. */
  of(target: TargetSource): ImportedConnection | string {
    const plugin = this.#pluginOf(target);
    const kind = PLUGINS.get(plugin);
    if (kind === undefined) return `dash does not ask ${plugin === '' ? 'such a data source' : plugin}`;
    if (!this.#options.kinds.has(kind)) return `the item types have no connection ${kind}`;
    const key = keyOf(target.source);
    const connection = this.#byKey.get(key) ?? this.#make(key, kind);
    if (connection.kind !== kind) return `the data source ${key} is of another type elsewhere`;
    this.#reportSource(target, connection);
    return connection;
  }

  #pluginOf({ plugin, source, spec }: TargetSource): string {
    const variable = this.#options.variables.get(keyOf(source));
    if (plugin.text !== undefined) return plugin.text;
    if (variable?.text !== undefined) return variable.text;
    if (spec.at('expr').text !== undefined) return 'prometheus';
    return spec.at('rawSql').text === undefined ? (source.text ?? '') : 'postgres';
  }

  #make(key: string, kind: ConnectionKind): ImportedConnection {
    const id = this.#ids.take(key);
    const address = this.#options.addresses.get(key);
    if (address !== undefined) this.#used.add(key);
    const host = `${
      id
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-|-$/g, '') || 'datasource'
    }.invalid`;
    const usual = kind === 'sql' ? `postgres://reader@${host}:5432/database` : `http://${host}:9090`;
    const config: JsonObject = { url: address ?? usual };
    const refresh = refreshOf(this.#options.refresh);
    if (refresh !== undefined) {
      config['refresh'] = refresh;
      this.#report.change(this.#options.refresh, 'each connection asks again', config, 'refresh');
    }
    this.connections.push({ id, type: kind, config });
    const connection = { kind, id };
    this.#byKey.set(key, connection);
    return connection;
  }

  #reportSource({ plugin, source }: TargetSource, { id }: ImportedConnection): void {
    const declaration = this.connections.find(connection => connection['id'] === id);
    if (declaration === undefined) return;
    if (source.text === id) this.#report.keep(source, declaration, 'id');
    else this.#report.change(source, `connection ${id}`, declaration, 'id');
    if (plugin.text === declaration['type']) this.#report.keep(plugin, declaration, 'type');
    else this.#report.change(plugin, `connection ${id}`, declaration, 'type');
  }
}

/** What names a data source: `uid` or name, or the variable in its place. */
function keyOf(source: Cursor): string {
  const text = source.text ?? '';
  const variable = /^(?:\$\{(\w+)(?::\w+)?\}|\$(\w+)|\[\[(\w+)\]\])$/.exec(text);
  return variable?.[1] ?? variable?.[2] ?? variable?.[3] ?? (text === '' ? 'default' : text);
}

/** Seconds of a refresh such as `10s`, within the bounds of a connection; undefined for none. */
function refreshOf(refresh: Cursor): number | undefined {
  const parts = /^(\d{1,6})([smhd])$/.exec(refresh.text ?? '');
  const seconds = Number(parts?.[1] ?? 0) * (SECONDS[parts?.[2] ?? ''] ?? 0);
  return seconds > 0 ? Math.min(MOST_REFRESH, Math.max(LEAST_REFRESH, seconds)) : undefined;
}
