import { describe, expect, it } from 'vitest';
import { DashError } from '#src/errors.ts';

describe('an error', () => {
  it('has no detail that is undefined, at any depth', () => {
    const details = { id: 'a', reason: undefined, at: { line: 1, column: undefined }, value: null };
    const { details: shown } = new DashError('STORAGE_IO', 'x', details);
    expect(Object.keys(shown)).toEqual(['id', 'at', 'value']);
    expect(Object.keys(shown['at'] as object)).toEqual(['line']);
  });

  it('keeps its cause out of the envelope', () => {
    const cause = new Error('secret');
    const error = new DashError('STORAGE_INTERNAL', 'The service failed.', {}, cause);
    expect(error.cause).toBe(cause);
    expect(JSON.stringify(error.toEnvelope())).not.toContain('secret');
  });

  it('is at most 8 kB of JSON, its lists cut before its single members', () => {
    const long = 'é'.repeat(400);
    const entry = {
      code: 'X',
      message: long.repeat(5),
      details: { path: long, known: Array(50).fill(long) },
    };
    const details = {
      known: Array(80).fill(long),
      suggestedPath: '/a/b',
      also: Array(60).fill(entry),
      hint: 'use add',
    };
    const error = new DashError('PATCH_OFF_SURFACE', long.repeat(4), details);
    expect(Buffer.byteLength(JSON.stringify(error.toEnvelope()))).toBeLessThanOrEqual(8 * 1024);
    expect(error.details).toMatchObject({ suggestedPath: '/a/b', hint: 'use add' });
  });

  it('keeps operations that are suggested whole', () => {
    const suggestedOps = [{ op: 'replace', path: '/a/config/source', value: 'x'.repeat(9_000) }];
    const error = new DashError('VAR_UNDEFINED', 'x', {
      suggestedOps,
      known: Array(60).fill('y'.repeat(300)),
    });
    expect(error.details['suggestedOps']).toEqual(suggestedOps);
  });
});
