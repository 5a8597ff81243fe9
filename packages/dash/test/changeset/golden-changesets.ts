import type { Json, JsonObject } from '#src/document/json.ts';

/** A dashboard with what the golden changesets change. */
export function golden(): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: 'golden', title: 'Service' },
    variables: [
      { name: 'env', type: 'enum', options: ['prod', 'staging'], default: 'prod' },
      { name: 'shown', type: 'string', expr: 'upper(env)' },
    ],
    connections: [
      {
        id: 'rows',
        type: 'static',
        config: {
          rows: [
            { t: '10:00', load: 4 },
            { t: '11:00', load: 7 },
          ],
        },
      },
    ],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          config: { grid: { columns: [2, 1], gap: 1 } },
          children: [
            block('latency', 'Latency', {
              type: 'chart',
              config: {
                kind: 'line',
                x: 't',
                series: [{ field: 'load' }],
                connectionId: 'rows',
                query: { expr: 'rate(x[5m])' },
              },
            }),
            block('errors', 'Errors', {
              type: 'table',
              config: { columns: [{ header: 'Load', field: 'load' }], connectionId: 'rows' },
            }),
            block('note', 'Note of \u0024{env}', {
              type: 'markdown',
              config: { source: 'Only \u0024{env}' },
            }),
          ],
        },
        { id: 'side', type: 'container', children: [] },
      ],
    },
  };
}

function block(id: string, title: string, content: JsonObject): JsonObject {
  return { id: `${id}-block`, type: 'block', config: { title, content: { id, ...content } } };
}

/** One golden changeset (review details 12, D5). */
export interface GoldenChangeset {
  readonly name: string;
  readonly ops: readonly Json[];
  /** The base is an empty page. */
  readonly create?: true;
  readonly words: readonly string[];
  /** Code of the error that the result does not resolve with. */
  readonly broken?: string;
}

/** The twelve changes that a person has to understand without reading JSON. */
export const GOLDEN_CHANGESETS: readonly GoldenChangeset[] = [
  {
    name: 'rename',
    ops: [{ op: 'replace', path: '/latency-block/config/title', value: 'p95 latency' }],
    words: ['Renamed “Latency” to “p95 latency”'],
  },
  {
    name: 'retype query',
    ops: [{ op: 'replace', path: '/latency/config/query', value: { expr: 'rate(x[1m])' } }],
    words: ['Query of “Latency”: rate(x[5m]) → rate(x[1m])'],
  },
  {
    name: 'move',
    ops: [
      { op: 'move', from: '/errors-block', path: '/side/children/-' },
      { op: 'add', path: '/errors-block/placement', value: { rowStart: 2 } },
    ],
    words: [
      'Moved table “Errors” from “body”, position 2 to “side”, position 1',
      'Moved “Errors” from the first free cell to row 2, column 1',
    ],
  },
  {
    name: 'add',
    ops: [
      {
        op: 'add',
        path: '/body/children/-',
        value: block('load', 'Load', {
          type: 'chart',
          config: { kind: 'line', x: 't', series: [{ field: 'load' }], connectionId: 'rows' },
        }),
      },
    ],
    words: ['Added line chart “Load” from rows to “body”'],
  },
  {
    name: 'remove',
    ops: [{ op: 'remove', path: '/note-block' }],
    words: ['Removed text “Note of \u0024{env}” from “body”'],
  },
  {
    name: 'rename variable',
    ops: [
      { op: 'replace', path: '/$variables/0/name', value: 'environment' },
      { op: 'replace', path: '/$variables/1/expr', value: 'upper(environment)' },
      { op: 'replace', path: '/note/config/source', value: 'Only \u0024{environment}' },
      { op: 'replace', path: '/note-block/config/title', value: 'Note of \u0024{environment}' },
    ],
    words: [
      'Variable env is now called environment (3 uses)',
      'Variable shown: expr upper(env) → upper(environment)',
      'Renamed “Note of \u0024{env}” to “Note of \u0024{environment}”',
      'Source of “Note of \u0024{env}”: Only \u0024{env} → Only \u0024{environment}',
    ],
  },
  {
    name: 'regrid',
    ops: [{ op: 'replace', path: '/body/config/grid/columns', value: [1, 1, 1] }],
    words: ['Grid columns of “body”: [2,1] → [1,1,1]'],
  },
  {
    name: 'theme',
    ops: [
      { op: 'add', path: '/$theme', value: { tone: 'accent' } },
      { op: 'add', path: '/note-block/config/theme', value: { tone: 'positive' } },
    ],
    words: ['Tone of the theme: none → accent', 'Theme tone of “Note of \u0024{env}”: none → positive'],
  },
  {
    name: 'connection',
    ops: [{ op: 'replace', path: '/$connections/0/config/rows', value: [{ t: '10:00', load: 5 }] }],
    words: ['Connection rows: rows 2 entries → 1 entry'],
  },
  {
    name: 'broken',
    ops: [{ op: 'remove', path: '/$variables/0' }],
    words: ['Removed variable env: enum, options ["prod","staging"], default prod'],
    broken: 'VAR_UNDEFINED',
  },
  {
    name: 'no data',
    ops: [{ op: 'replace', path: '/$connections/0/config/rows', value: [] }],
    words: ['Connection rows: rows 2 entries → 0 entries'],
  },
  {
    name: 'create',
    create: true,
    ops: [
      { op: 'add', path: '/$manifest/title', value: 'New' },
      { op: 'add', path: '/page/children/-', value: { id: 'body', type: 'container', children: [] } },
    ],
    words: ['Title of the dashboard: none → New', 'Added container “body” to the page'],
  },
];
