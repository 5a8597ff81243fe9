import { anyJson, type Field, required } from '@msg/foundation/shape';
import { dryRunChangeset } from '../changeset/pipeline.ts';
import { CHANGES, OPEN_OBJECT, TEXT } from './output.ts';
import { type DashTool, DOCUMENT_ID, dashTool } from './tool.ts';

const OPERATION = {
  type: 'object',
  properties: {
    op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
    path: { type: 'string', description: '/<node id or $scope>/<RFC 6901 remainder>' },
    from: { type: 'string', description: 'source of move and copy, the same dialect' },
    value: { description: 'of add, replace and test' },
  },
  required: ['op', 'path'],
};

/** A changeset, which the changeset layer reads. */
const changeset: Field<unknown> = {
  ...anyJson,
  schema: () => ({ type: 'array', items: OPERATION, maxItems: 1000 }),
};

/** `dash_validate_patch`: every step of a commit but the write. */
export const PATCH_TOOL: DashTool = dashTool({
  name: 'dash_validate_patch',
  title: 'Try a changeset',
  description: [
    'Try a changeset and see the result, storing nothing.',
    'Send the full cumulative RFC 6902 array each time; paths start with a node id or $manifest, $variables,',
    '$connections, $theme, $root. On success: the resolved preview, what changes, and baseRevision, which the human',
    'passes as expectedRevision. On failure: ok false with a coded error whose details tell how to correct it.',
  ].join('\n'),
  takes: {
    id: DOCUMENT_ID,
    ops: required(changeset, 'the whole changeset, id-rooted RFC 6902'),
  },
  outputSchema: {
    type: 'object',
    properties: {
      ok: { type: 'boolean' },
      preview: OPEN_OBJECT,
      baseRevision: TEXT,
      changes: CHANGES,
      changesTruncated: { const: true },
      code: TEXT,
      message: TEXT,
      details: OPEN_OBJECT,
    },
    required: ['ok'],
  },
  answersFailure: true,
  run: async ({ id, ops }, { store, engine }) => ({
    ok: true,
    ...(await dryRunChangeset({ store, ...engine }, { id, ops })),
  }),
});
