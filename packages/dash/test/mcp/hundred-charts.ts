import type { JsonObject } from '#src/document/json.ts';

/** A document of a hundred charts, each in a block of its own. */
export function hundredCharts(): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: 'hundred', title: 'A hundred charts' },
    variables: [{ name: 'team', type: 'string', default: 'web' }],
    connections: [{ id: 'points', type: 'static', config: { rows: [{ x: 1, a: 2 }] } }],
    root: {
      id: 'page',
      type: 'container',
      children: [
        {
          id: 'body',
          type: 'container',
          config: { grid: { columns: [1, 1, 1, 1], gap: 1 } },
          children: Array.from({ length: 100 }, (_, at) => block(at)),
        },
      ],
    },
  };
}

function block(at: number): JsonObject {
  const series = [{ field: 'a', label: 'Rate' }];
  const title = at < 3 ? `Latency ${at} of \${team}` : `Latency ${at}`;
  const config = { kind: 'line', title, connectionId: 'points', x: 'x', series };
  return {
    id: `latency-${at}-block`,
    type: 'block',
    config: { title: `Latency ${at}`, content: { id: `latency-${at}`, type: 'chart', config } },
  };
}
