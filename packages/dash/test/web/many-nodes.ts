import type { JsonObject } from '#src/document/json.ts';

/** A document of exactly `nodes` nodes, of which `charts` are charts of 300 points and three series. */
export function manyNodes({ nodes, charts }: { nodes: number; charts: number }): JsonObject {
  const blocks: JsonObject[] = [];
  for (let left = nodes - 2; left > 0; left -= 2) {
    const at = blocks.length;
    if (left === 1) {
      blocks.push({ id: 'rest', type: 'container', children: [] });
      break;
    }
    blocks.push({
      id: `block-${at}`,
      type: 'block',
      config: { title: `Panel ${at}`, content: contentOf(at, charts) },
    });
  }
  const rows = Array.from({ length: 300 }, (_, x) => ({
    x,
    a: (x * 7) % 31,
    b: (x * 13) % 37,
    c: (x * 17) % 41,
  }));
  return {
    manifest: { formatVersion: '1.0.0', id: 'many-nodes', title: 'Many nodes' },
    variables: [
      { name: 'team', type: 'enum', options: ['web', 'core'], default: 'web' },
      { name: 'run', type: 'string', default: '' },
    ],
    connections: [{ id: 'points', type: 'static', config: { rows } }],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          config: { grid: { columns: [1, 1, 1, 1], gap: 1 } },
          children: blocks,
        },
      ],
    },
  };
}

function contentOf(at: number, charts: number): JsonObject {
  const id = `item-${at}`;
  if (at < charts) {
    const series = ['a', 'b', 'c'].map(field => ({ field }));
    return {
      id,
      type: 'chart',
      config: { kind: 'line', title: `Chart ${at} \${run}`, connectionId: 'points', x: 'x', series },
    };
  }
  const kinds: readonly JsonObject[] = [
    { id, type: 'metric', config: { title: `Figure ${at}`, value: at * 1.5, format: 'decimal', unit: 'ms' } },
    { id, type: 'markdown', config: { source: `Shown for **\${team}**, number ${at}.` } },
    {
      id,
      type: 'table',
      config: {
        columns: [{ header: 'Name' }, { header: 'Value' }],
        rows: [
          ['a', at],
          ['b', at + 1],
          ['c', null],
        ],
      },
    },
    {
      id,
      type: 'select',
      config: { variable: 'team', label: `Team ${at}`, options: [{ value: 'web' }, { value: 'core' }] },
    },
  ];
  return kinds[at % kinds.length] as JsonObject;
}
