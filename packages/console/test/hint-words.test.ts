import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HINT_WORDS, wordsOf } from '../src/pages/overview/hint-words.ts';

/** Names of the hints, as the service has them. */
const NAMES = ['hints', 'cluster'].flatMap(file => {
  const text = readFileSync(new URL(`../../server/src/nodes/${file}.ts`, import.meta.url), 'utf8');
  return Array.from(text.matchAll(/\bname(?: =|:) '(\w+)'/g), ([, name = '']) => name);
});

it('every hint of the service has words, and no other one', () => {
  expect(NAMES.length).toBeGreaterThan(20);
  expect(Object.keys(HINT_WORDS).toSorted()).toEqual(NAMES.toSorted());
});

it('a value has its unit, and a hint of a newer service the words of its name', () => {
  const [, lag] = wordsOf('MsgEventLoopBusy').value ?? [];
  expect([lag?.(0.048), lag?.(1.4)]).toEqual(['48 ms', '1 s']);
  const [, share] = wordsOf('MsgSinkFailing').value ?? [];
  expect([share?.(1), share?.(0.052)]).toEqual(['100 %', '5.2 %']);
  expect(wordsOf('MsgTeapotHot').title).toBe('Teapot hot');
});
