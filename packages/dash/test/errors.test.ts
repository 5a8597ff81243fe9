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
});
