import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { rebaseOperations } from '#src/changeset/rebase.ts';
import type { Json } from '#src/document/json.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { golden } from '../changeset/golden-changesets.ts';

const catalog = loadCatalog();
const context = {
  types: nodeTypes(catalog),
  resolve: (document: Parameters<typeof resolveDocument>[0]) => resolveDocument(document, catalog),
};
const title = (path: string): Json => ({ op: 'replace', path, value: 'New' });

describe('trying a proposal again on the stored document', () => {
  it('keeps what applies, in order, and names what does not with its code', () => {
    const ops: Json[] = [
      title('/latency-block/config/title'),
      title('/gone/config/title'),
      title('/errors-block/config/title'),
      { op: 'test', path: '/$manifest/title', value: 'Other' },
      title('/note-block/config/title'),
    ];
    const { ops: kept, failing } = rebaseOperations('golden', golden(), ops, context);
    expect(kept).toEqual([ops[0], ops[2], ops[4]]);
    expect(failing.map(({ index, code }) => [index, code])).toEqual([
      [1, 'CHANGESET_TARGET_NOT_FOUND'],
      [3, 'PATCH_APPLY_FAILED'],
    ]);
  });

  it('leaves out what keeps the document from resolving, and keeps what resolves only together', () => {
    const broken: Json[] = [title('/latency-block/config/title'), { op: 'remove', path: '/$variables/0' }];
    const first = rebaseOperations('golden', golden(), broken, context);
    expect(first.ops).toEqual([broken[0]]);
    expect(first.failing).toMatchObject([{ index: 1, code: 'VAR_UNDEFINED' }]);
    const together: Json[] = [
      { op: 'replace', path: '/$variables/0/name', value: 'environment' },
      { op: 'replace', path: '/$variables/1/expr', value: 'upper(environment)' },
      { op: 'replace', path: '/note/config/source', value: 'x' },
      { op: 'replace', path: '/note-block/config/title', value: 'y' },
    ];
    expect(rebaseOperations('golden', golden(), together, context)).toEqual({ ops: together, failing: [] });
  });
});
