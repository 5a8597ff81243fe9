import { expect, it } from 'vitest';
import { ClientNames, NO_NAME } from '#src/session/client-names.ts';

it('equal names are one object, however long they are', () => {
  const names = new ClientNames();
  const long = 'x'.repeat(1000);
  expect(names.of(long, '1')).toBe(names.of(`${long}y`, '1'));
  expect(names.of(long, '1').name).toHaveLength(64);
  expect(names.of('a', '1')).not.toBe(names.of('a', '2'));
  expect(names.of('', '')).toBe(NO_NAME);
});

it('after 256 different names every other one is "other"', () => {
  const names = new ClientNames();
  for (let n = 0; n < 256; n++) names.of(`program-${n}`, '1');
  expect(names.of('program-256', '1')).toEqual({ name: 'other', version: '' });
  expect(names.of('program-7', '1')).toEqual({ name: 'program-7', version: '1' });
});
