import { expect, it } from 'vitest';
import { catalogTypes } from '#src/changeset/catalog-types.ts';

const tone = { field: 'theme.tone', type: 'enum', constraints: { enum: ['neutral', 'accent'] } } as const;
const scopes = { $manifest: [{ field: 'title', type: 'string' }], $theme: [] } as const;

it('the catalogue answers with role, content field and surface, indexed once per type', () => {
  const block = { behavior: { role: 'wrapper', contentField: 'content' }, surface: [tone] } as const;
  const types = catalogTypes(scopes, node => (node['type'] === 'block' ? block : undefined));
  const found = types.typeOf({ type: 'block' });
  expect(found).toEqual({
    role: 'wrapper',
    contentField: 'content',
    surface: new Map([['theme.tone', { type: 'enum', allowed: ['neutral', 'accent'] }]]),
  });
  expect(types.typeOf({ type: 'block' })).toBe(found);
  expect(types.typeOf({ type: 'unknown' })).toBeUndefined();
  expect(types.scopeSurface('$manifest').get('title')).toEqual({ type: 'string' });
});
