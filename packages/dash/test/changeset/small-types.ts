import type { NodeType, NodeTypes, Surface, SurfaceField } from '#src/catalog/node-types.ts';
import { type JsonObject, ownMember } from '#src/document/json.ts';

const TONES = ['neutral', 'accent', 'positive', 'caution', 'critical'];

function surface(fields: Readonly<Record<string, SurfaceField['type'] | readonly string[]>>): Surface {
  return new Map(
    Object.entries(fields).map(([key, type]) => [
      key,
      typeof type === 'string' ? { type } : { type: 'enum', allowed: [...type] },
    ]),
  );
}

const TYPES: Readonly<Record<string, NodeType>> = {
  container: {
    role: 'region',
    surface: surface({ 'grid.columns': 'array', 'grid.gap': 'number', 'grid.rows': 'array' }),
  },
  'variable-box': { role: 'region', surface: surface({ arrangement: ['stacked', 'inline'] }) },
  block: {
    role: 'wrapper',
    contentField: 'content',
    surface: surface({ theme: 'object', 'theme.tone': TONES, title: 'string', visibility: 'boolean' }),
  },
  table: { role: 'leaf', surface: surface({ columns: 'array', query: 'object', title: 'string' }) },
  heading: { role: 'leaf', surface: surface({ level: 'integer', text: 'string' }) },
  markdown: { role: 'leaf', surface: surface({ source: 'string' }) },
  slider: { role: 'widget', surface: surface({ disabled: 'boolean', max: 'number', min: 'number' }) },
  segmented: { role: 'widget', surface: surface({ label: 'string' }) },
};

const SCOPES = {
  $manifest: surface({ description: 'string', title: 'string' }),
  $theme: surface({ tone: TONES, spacing: ['compact', 'cosy', 'roomy'] }),
};

/** A few types as changesets see them, for tests of rules that do not depend on the catalogue. */
export const smallTypes: NodeTypes = {
  typeOf: (node: JsonObject) => TYPES[String(ownMember(node, 'type'))],
  scopeSurface: scope => SCOPES[scope],
};
