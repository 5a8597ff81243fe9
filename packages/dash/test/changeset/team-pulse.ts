// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the documents interpolate, the program does not
import type { JsonObject } from '#src/document/json.ts';

/** The smallest useful document (dashboard details 1.4). */
export function teamPulse(): JsonObject {
  return structuredClone(DOCUMENT);
}

const DOCUMENT: JsonObject = {
  manifest: { formatVersion: '1.0.0', id: 'team-pulse', title: 'Team pulse' },
  variables: [
    { name: 'team', type: 'enum', options: ['web', 'core'], default: 'web' },
    { name: 'weeks', type: 'integer', default: 4 },
    { name: 'caption', type: 'string', expr: 'upper(team) + " / last " + string(weeks) + " weeks"' },
  ],
  connections: [
    {
      id: 'pulse',
      type: 'static',
      config: {
        rows: [
          { person: 'Ada', score: 4 },
          { person: 'Lin', score: 5 },
        ],
      },
    },
  ],
  theme: { spacing: 'cosy', tone: 'neutral' },
  root: {
    id: 'page',
    type: 'container',
    children: [
      {
        id: 'filters',
        type: 'variable-box',
        config: { arrangement: 'inline' },
        children: [
          {
            id: 'team-pick',
            type: 'segmented',
            config: {
              variable: 'team',
              label: 'Team',
              options: [{ value: 'web' }, { value: 'core', label: 'Core' }],
            },
          },
        ],
      },
      {
        id: 'body',
        type: 'container',
        config: { grid: { columns: [2, 1], rows: [1], gap: 1 } },
        children: [
          {
            id: 'scores-block',
            type: 'block',
            placement: { colStart: 1, rowStart: 1 },
            config: {
              title: 'Scores',
              content: {
                id: 'scores',
                type: 'table',
                config: {
                  title: '${caption}',
                  connectionId: 'pulse',
                  query: { weeks: { $var: 'weeks' } },
                  columns: [
                    { header: 'Person', field: 'person' },
                    { header: 'Score', field: 'score' },
                  ],
                },
              },
            },
          },
          {
            id: 'note-block',
            type: 'block',
            placement: { colStart: 2, rowStart: 1 },
            config: {
              theme: { tone: 'accent' },
              content: { id: 'note', type: 'markdown', config: { source: 'Shown for **${team}**.' } },
            },
          },
        ],
      },
    ],
  },
};
