import type { JsonObject } from '#src/document/json.ts';

const STATES = [
  'rows',
  'empty',
  'fails',
  'forbidden',
  'breaks',
  'misfits',
  'stale',
  'waits',
  'secret',
] as const;

/** Connections of every state, and one of a type that no source asks. */
const CONNECTIONS: JsonObject[] = [
  ...STATES.map(name => ({
    id: name,
    type: 'scripted',
    config: {
      does: name,
      cache: 0,
      ...(name === 'secret' ? { token: { $secret: 'DASH_TEST_NO_SUCH_SECRET' } } : {}),
    },
  })),
  { id: 'other', $ref: 'connections/http/1.0.0', config: { url: 'http://metrics.example/query' } },
];

const block = (id: string, title: string, content: JsonObject): JsonObject => ({
  id: `${id}-block`,
  type: 'block',
  config: { title, content },
});

const titleOf = (connectionId: string, type: string): string => `${type}, ${connectionId}`;

function bound(type: string, connectionId: string): JsonObject {
  const id = `${type}-${connectionId}`;
  const configs: Record<string, JsonObject> = {
    table: { connectionId },
    metric: { connectionId, field: 'p95', aggregate: 'max', unit: 'ms' },
    chart: { connectionId, kind: 'bar', x: 'region', series: [{ field: 'p95', label: 'p95' }] },
    gauge: { connectionId, title: 'Gauge', limit: 400 },
  };
  return block(id, titleOf(connectionId, type), { id, type, config: configs[type] ?? {} });
}

/** A chart whose drawing ends its thread, where the server draws with the painter of the tests. */
const CRASHING = block('crash-chart', 'chart, crash', {
  id: 'crash-chart',
  type: 'chart',
  config: { kind: 'bar', x: 'region', series: [{ field: 'p95' }], rows: [{ region: 'eu', p95: 184 }] },
});

/** A region, a wrapper, a leaf and a widget of types of its own, each drawn by its role. */
const OWN_ROLES: JsonObject[] = [
  {
    id: 'own-shelf',
    type: 'shelf',
    config: { grid: { columns: [2, 1], gap: 1 } },
    children: [
      {
        id: 'own-card',
        type: 'card',
        config: {
          title: 'Card',
          inside: { id: 'own-words', type: 'markdown', config: { source: 'Inside' } },
        },
      },
      block('own-gauge', 'Gauge without rows', {
        id: 'own-gauge',
        type: 'gauge',
        config: { title: 'Gauge', limit: 3 },
      }),
    ],
  },
  {
    id: 'own-controls',
    type: 'variable-box',
    children: [{ id: 'own-dial', type: 'dial', config: { variable: 'level', label: 'Level' } }],
  },
];

/** Every type that shows rows, in every state that rows can be in, in a grid; a failed drawing; types of every role. */
export function everyState(): JsonObject {
  const connections = [...STATES, 'other'];
  const blocks = ['metric', 'table', 'chart', 'gauge'].flatMap(type =>
    connections.map(name => bound(type, name)),
  );
  return {
    manifest: { formatVersion: '1.0.0', id: 'every-state', title: 'Every state' },
    variables: [{ name: 'level', type: 'number', default: 3 }],
    connections: CONNECTIONS,
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          config: { grid: { columns: [1, 1, 1], gap: 1 } },
          children: [...blocks, CRASHING],
        },
        ...OWN_ROLES,
      ],
    },
  };
}

const HOSTILE = '</script><img src=x onerror=alert(1)> ]]> javascript:alert(1) \u202Egpj.exe "onload=1';

/** A document whose every text is hostile. */
export function hostileTexts(): JsonObject {
  const leaf = (id: string, type: string, config: JsonObject): JsonObject =>
    block(id, HOSTILE, { id, type, config });
  return {
    manifest: { formatVersion: '1.0.0', id: 'hostile', title: HOSTILE, description: HOSTILE },
    variables: [
      { name: 'text', type: 'string', default: HOSTILE },
      { name: 'choice', type: 'enum', options: [HOSTILE], default: HOSTILE },
      { name: 'many', type: 'array', default: [HOSTILE] },
    ],
    connections: [{ id: 'rows', type: 'static', config: { rows: [{ [HOSTILE]: HOSTILE, n: 1 }] } }],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'controls',
          type: 'variable-box',
          children: [
            ['text-input', 'text'],
            ['textarea', 'text'],
            ['select', 'choice'],
            ['radio-group', 'choice'],
            ['segmented', 'choice'],
            ['multiselect', 'many'],
            ['checkbox-group', 'many'],
            ['tag-input', 'many'],
          ].map(([type = '', variable = '']) => ({
            id: type,
            type,
            config: {
              variable,
              label: HOSTILE,
              description: HOSTILE,
              ...(['text-input', 'textarea', 'tag-input'].includes(type)
                ? { placeholder: HOSTILE }
                : { options: [{ value: HOSTILE, label: HOSTILE }] }),
            },
          })),
        },
        {
          id: 'body',
          type: 'container',
          children: [
            leaf('table', 'table', { title: HOSTILE, connectionId: 'rows' }),
            leaf('own-table', 'table', { columns: [{ header: HOSTILE }], rows: [[HOSTILE], [null], [true]] }),
            leaf('metric', 'metric', { title: HOSTILE, value: HOSTILE, unit: HOSTILE }),
            leaf('chart', 'chart', {
              title: HOSTILE,
              kind: 'bar',
              connectionId: 'rows',
              x: HOSTILE,
              series: [{ field: 'n', label: HOSTILE }],
            }),
            leaf('words', 'markdown', {
              source: `${HOSTILE}\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![b](data:text/html,x) [c](irc://x) <img src=x onerror=alert(1)>`,
            }),
            leaf('heading', 'heading', { text: HOSTILE, level: 2 }),
            leaf('image', 'image', { src: 'javascript:alert(1)', alt: HOSTILE, caption: HOSTILE }),
            leaf('editor', 'configurator', { target: 'table', title: HOSTILE }),
          ],
        },
      ],
    },
  };
}
