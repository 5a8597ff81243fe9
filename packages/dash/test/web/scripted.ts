import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataRows } from '#src/data/contract.ts';
import type { DataRequest, DataSourceKind } from '#src/data/source.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';

const ROWS: DataRows = {
  columns: ['region', 'p95'],
  rows: [
    { region: 'eu-central', p95: 184 },
    { region: 'us-east', p95: 225 },
    { region: 'ap-south', p95: 262 },
  ],
};

/** What a connection of the type `scripted` does, by its config member `does`. */
type Deed = (request: DataRequest) => DataRows | Promise<DataRows>;

/** A source of the tests, which plays every state that an item can be in. */
export class ScriptedSource {
  /** Connections that fail from now on. */
  readonly failing = new Set<string>();
  /** Answers of connections that wait, by connection id. */
  readonly waiting = new Map<string, (rows: DataRows) => void>();
  asked = 0;
  /** Texts of the queries that were asked, in order. */
  readonly queries: string[] = [];

  readonly kind: DataSourceKind = {
    type: 'scripted',
    atHand: false,
    timed: true,
    open: () => ({
      ask: request => {
        this.asked++;
        this.queries.push(JSON.stringify(request.query ?? {}));
        const { id, config = {} } = request.connection;
        if (this.failing.has(id))
          throw new DashError(
            'QUERY_TIMEOUT',
            `Connection "${id}" must answer within 10 s; got nothing yet.`,
            {},
          );
        return (this.#deeds[String(config['does'])] ?? (this.#deeds['rows'] as Deed))(request);
      },
    }),
  };

  readonly #deeds: Readonly<Record<string, Deed>> = {
    rows: () => Promise.resolve(ROWS),
    empty: () => Promise.resolve({ columns: [], rows: [] }),
    misfits: () => Promise.resolve({ columns: ['region', 'p95'], rows: [{ region: ['eu'], p95: 184 }] }),
    fails: () => {
      throw new DashError(
        'QUERY_FAILED',
        'Prometheus refused the query: parse error at character 12, unexpected ")".',
        { offset: 12 },
      );
    },
    forbidden: () => {
      throw new DashError('QUERY_HOST_FORBIDDEN', 'The origin must be allowed.', {
        origin: 'http://prom:9090',
      });
    },
    says: ({ connection: { config = {} } }) => {
      const text = String(config['text']);
      throw new DashError('QUERY_FAILED', text, { reason: text, [text]: text });
    },
    breaks: () => Promise.reject(new TypeError('a bug')),
    waits: ({ connection }) => new Promise(resolve => this.waiting.set(connection.id, resolve)),
  };
}

/** A schema directory with the connection type of {@link ScriptedSource} and types of its own of each role. */
export function scriptedSchemas(): string {
  const folder = mkdtempSync(join(tmpdir(), 'dash-schemas-'));
  const write = (kind: string, name: string, schema: JsonObject): void => {
    mkdirSync(join(folder, kind), { recursive: true });
    const $id = `https://dash.example/schemas/${kind}/${name}/1.0.0`;
    const whole = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id, type: 'object', ...schema };
    writeFileSync(join(folder, kind, `${name}.schema.json`), JSON.stringify(whole));
  };
  write('connections', 'scripted', {
    properties: { does: { type: 'string' }, text: { type: 'string' }, token: true },
    examples: [{}],
  });
  write('items', 'gauge', {
    properties: { title: { type: 'string' }, limit: { type: 'number' }, connectionId: { type: 'string' } },
    expectedResult: { type: 'array' },
    examples: [{ limit: 3 }],
  });
  write('items', 'shelf', {
    behavior: { role: 'region', childPolicy: 'regions-or-wrappers', layout: 'grid' },
    properties: { grid: true },
    examples: [{}],
  });
  write('items', 'card', {
    behavior: { role: 'wrapper', contentField: 'inside' },
    properties: { inside: true, title: { type: 'string' } },
    examples: [{ inside: { id: 'a', type: 'heading', config: { text: 'A', level: 2 } } }],
  });
  write('items', 'dial', {
    behavior: { role: 'widget', binds: ['number'] },
    properties: { variable: { type: 'string' }, label: { type: 'string' } },
    required: ['variable'],
    examples: [{ variable: 'a' }],
  });
  return folder;
}
