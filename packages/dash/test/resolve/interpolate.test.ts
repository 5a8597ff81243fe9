// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the document language
import { expect, it } from 'vitest';
import { InterpolatedText } from '#src/resolve/context.ts';
import { interpolateConfig } from '#src/resolve/interpolate.ts';
import type { VisibleVariable } from '#src/resolve/tree.ts';
import { errorOf } from './team-pulse.ts';

const variable: VisibleVariable = { name: 'a', type: 'string', value: '${a}$', declaredAt: 'doc' };

function interpolated(text: string): unknown {
  const at = {
    scope: new Map([['a', variable]]),
    built: new InterpolatedText('test'),
    path: 'root',
    nodeId: 'page',
  };
  return interpolateConfig({ text }, at, undefined)['text'];
}

it.each([
  ['plain', 'plain'],
  ['${a}', '${a}$'],
  ['<${ a }${a}>', '<${a}$${a}$>'],
  ['$${a}', '${a}'],
  ['$$${a}', '$${a}'],
  ['$${${a}', '${${a}$'],
  ['${a}$${a}', '${a}$${a}'],
  ['${a}${a', '${a}$${a'],
  ['${a $${b', '${a ${b'],
  ['$', '$'],
  ['}${', '}${'],
])('%s becomes %s', (text, result) => {
  expect(interpolated(text)).toBe(result);
});

it('a reference runs to the next brace, whatever lies between', () => {
  expect(errorOf(() => interpolated('${ ${a} }')).details).toMatchObject({ name: '${a' });
});

it('a megabyte of references that never end is scanned once', () => {
  const open = '${'.repeat(500_000);
  expect(interpolated(open)).toBe(open);
  expect(interpolated(`$${open}`)).toBe(open);
  expect(interpolated('$${'.repeat(300_000))).toBe('${'.repeat(300_000));
  expect(interpolated(`${'$${'.repeat(300_000)}}`)).toBe(`${'${'.repeat(300_000)}}`);
});
