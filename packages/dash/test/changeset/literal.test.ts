import { createRequire } from 'node:module';
import fc from 'fast-check';
import { applyPatch as referencePatch } from 'rfc6902';
import { describe, expect, it } from 'vitest';
import { applyLiteralPatch } from '#src/changeset/literal.ts';
import { jsonEqual } from '#src/document/canonical.ts';
import { cloneJson, type Json } from '#src/document/json.ts';
import { formatPointer } from '#src/document/pointer.ts';
import { DashError } from '#src/errors.ts';

interface SuiteCase {
  readonly comment?: string;
  readonly doc: Json;
  readonly patch: unknown;
  readonly expected?: Json;
  readonly error?: string;
  readonly disabled?: boolean;
}

const require = createRequire(import.meta.url);
const SEED = Number(process.env['DASH_SEED'] ?? 6902);

function outcome(document: Json, patch: unknown): { result: Json } | { code: string } {
  try {
    return { result: applyLiteralPatch(document, patch) };
  } catch (error) {
    if (error instanceof DashError) return { code: error.code };
    throw error;
  }
}

describe.each(['tests', 'spec_tests'])('the public JSON Patch cases: %s', file => {
  const cases = (require(`json-patch-test-suite/${file}.json`) as SuiteCase[]).filter(test => !test.disabled);
  const named = cases
    .filter(test => test.patch !== undefined)
    .map((test, index) => ({
      ...test,
      name: `${index} ${test.comment ?? test.error ?? JSON.stringify(test.patch)}`,
    }));

  it.each(named)('$name', ({ doc, patch, expected, error }) => {
    const before = cloneJson(doc);
    const found = outcome(doc, patch);
    expect(doc).toEqual(before);
    if (error === undefined && expected !== undefined) expect(found).toEqual({ result: expected });
    else if (error === undefined) expect(found).toHaveProperty('result');
    else
      expect(found).toHaveProperty(
        'code',
        expect.stringMatching(/^PATCH_(?:INVALID|POINTER_INVALID|APPLY_FAILED)$/),
      );
  });
});

const key = fc.constantFrom('a', 'b', '0', '1', 'a/b', 'm~n', '-');
const document = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, 0, 1.5, 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3 }),
  ),
})).value;
const pointer = fc.array(fc.oneof(key, fc.constantFrom('2', '01')), { maxLength: 3 }).map(formatPointer);
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: document }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), path: pointer, from: pointer }),
);

/**
 * What the reference makes of a patch; undefined where it departs from RFC 6902 or 6901 and so cannot judge: it takes
 * indexes such as `01`, and the root and moves into descendants are its own affair.
 */
function reference(
  doc: Json,
  patch: { op: string; path: string; from?: string }[],
): Json | 'fails' | undefined {
  const pointers = patch.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  if (pointers.some(text => text === '' || /\/(?:01|-)(?:\/|$)/.test(text))) return undefined;
  if (patch.some(({ op, path, from }) => op === 'move' && from !== undefined && path.startsWith(from)))
    return undefined;
  const copy = cloneJson(doc);
  const errors = referencePatch(copy, cloneJson(patch as unknown as Json) as never);
  return errors.some(error => error !== null) ? 'fails' : copy;
}

describe('the literal layer', () => {
  it('agrees with rfc6902 on object documents', () => {
    let judged = 0;
    fc.assert(
      fc.property(
        fc.dictionary(key, document, { maxKeys: 4 }),
        fc.array(operation, { maxLength: 4 }),
        (doc, patch) => {
          const expected = reference(doc, patch);
          if (expected === undefined) return;
          judged++;
          const found = outcome(doc, patch);
          if (expected === 'fails') expect(found).toEqual({ code: 'PATCH_APPLY_FAILED' });
          else expect('result' in found && jsonEqual(found.result, expected)).toBe(true);
        },
      ),
      { seed: SEED, numRuns: 2_000 },
    );
    expect(judged).toBeGreaterThan(500);
  });

  it('is atomic: a failing operation at any place leaves the document as it was', () => {
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 5 }), fc.nat(5), (doc, patch, at) => {
        const before = JSON.stringify(doc);
        const failing = [...patch.slice(0, at), { op: 'remove', path: '/none/such' }, ...patch.slice(at)];
        expect(outcome(doc, failing)).toHaveProperty('code');
        expect(JSON.stringify(doc)).toBe(before);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  it('names why an operation failed, and what a failed test found', () => {
    const fault = (operations: unknown) => {
      try {
        applyLiteralPatch({ a: { b: [1] }, s: 'text' }, operations);
      } catch (error) {
        return error instanceof DashError ? error.details : error;
      }
      return undefined;
    };
    expect(fault([{ op: 'remove', path: '/x' }])).toMatchObject({
      index: 0,
      op: 'remove',
      reason: 'missing',
    });
    expect(fault([{ op: 'add', path: '/a/b/2', value: 0 }])).toMatchObject({ reason: 'index' });
    expect(fault([{ op: 'add', path: '/x/y', value: 0 }])).toMatchObject({ reason: 'parent' });
    expect(fault([{ op: 'test', path: '/s', value: 'other' }])).toMatchObject({
      reason: 'test',
      actual: 'text',
    });
    expect(fault([{ op: 'test', path: '/a', value: 1 }])).not.toHaveProperty('actual');
    expect(fault([{ op: 'move', from: '/a', path: '/a/b/0' }])).toMatchObject({ reason: 'descendant' });
  });

  it('ends copies that double what they copy, before memory does', () => {
    const doubling = Array(40).fill({ op: 'copy', from: '', path: '/-' });
    expect(outcome(['x'], doubling)).toEqual({ code: 'PATCH_STRUCTURE_INVALID' });
  });

  it('keeps members called __proto__ as data and refuses them as addresses', () => {
    const doc = JSON.parse('{"a":1}') as Json;
    const value = JSON.parse('{"__proto__":{"polluted":true}}') as Json;
    const result = applyLiteralPatch(doc, [{ op: 'add', path: '/b', value }]);
    expect(JSON.stringify(result)).toBe('{"a":1,"b":{"__proto__":{"polluted":true}}}');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(outcome(doc, [{ op: 'add', path: '/__proto__/polluted', value: 1 }])).toEqual({
      code: 'PATCH_POINTER_INVALID',
    });
  });
});
