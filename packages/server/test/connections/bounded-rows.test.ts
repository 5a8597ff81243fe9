import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BoundedRows } from '#src/connections/bounded-rows.ts';

it('keeps the first rows of any sequence, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 1, max: 10 }), (items, most) => {
      const bounded = new BoundedRows<number>(most, (a, b) => a - b);
      for (const item of items) bounded.add(item);
      expect(bounded.rows).toEqual([...new Set(items)].sort((a, b) => a - b).slice(0, most));
    }),
  );
});
