import { flag, optional, text } from '@msg/foundation/shape';
import { getSchema, getSchemas, listSchemas } from '../reads/schemas.ts';
import { requireOne } from './arguments.ts';
import { names } from './fields.ts';
import { LIST, OBJECT, objectOf, TEXT } from './output.ts';
import { type DashTool, dashTool } from './tool.ts';

export const SCHEMA_TOOLS: readonly DashTool[] = [
  dashTool({
    name: 'dash_list_schemas',
    title: 'List item types',
    description: 'List the item types, and "dashboard" for the envelope',
    takes: {},
    outputSchema: objectOf({ types: LIST }),
    run: async (_args, { engine }) => listSchemas(engine.catalog),
  }),
  dashTool({
    name: 'dash_get_schema',
    title: 'Read schemas',
    description: [
      'Read the JSON Schemas of item types, to build new nodes.',
      'Also dashboard (the envelope), theme, connection/<name>; name@x.y.z picks a version.',
    ].join('\n'),
    takes: {
      type: optional(text, 'one name'),
      types: optional(names, 'or several'),
      brief: optional(flag, 'without descriptions, with examples'),
    },
    outputSchema: objectOf({}, { type: TEXT, schema: OBJECT, schemas: OBJECT }),
    run: async ({ type, types, brief }, { engine: { catalog } }) => {
      requireOne('dash_get_schema', ['type', type], ['types', types]);
      return types === undefined ? getSchema(catalog, type ?? '', brief) : getSchemas(catalog, types, brief);
    },
  }),
];
