import { required, text } from '@msg/foundation/shape';
import { getSchema, listSchemas } from '../reads/schemas.ts';
import { listOf, OPEN_OBJECT, objectOf, TEXT } from './output.ts';
import { type DashTool, dashTool } from './tool.ts';

export const SCHEMA_TOOLS: readonly DashTool[] = [
  dashTool({
    name: 'dash_list_schemas',
    title: 'List item types',
    description: 'List the item types, and "dashboard" for the envelope',
    takes: {},
    outputSchema: objectOf({ types: listOf(TEXT) }),
    run: async (_args, { engine }) => listSchemas(engine.catalog),
  }),
  dashTool({
    name: 'dash_get_schema',
    title: 'Read a schema',
    description: [
      'Read the JSON Schema of an item type, to build a new node.',
      'Also: dashboard (the envelope), theme, connection/<name>; name@x.y.z picks a version.',
    ].join('\n'),
    takes: { type: required(text, 'a name from dash_list_schemas, theme, or connection/<name>') },
    outputSchema: objectOf({ type: TEXT, schema: OPEN_OBJECT }),
    run: async ({ type }, { engine }) => getSchema(engine.catalog, type),
  }),
];
