import { describe, expect, it } from 'vitest';
import { CodedError, type CodeTable, isCode } from '#src/errors/errors.ts';

const TABLE = {
  NOT_FOUND: { status: 404 },
  BUSY: { status: 503 },
} as const satisfies CodeTable<string, { readonly status: number }>;
type Code = keyof typeof TABLE;

class ShopError extends CodedError<Code, { readonly status: number }> {
  override readonly name = 'ShopError';

  constructor(code: Code, message: string, cause?: unknown) {
    super(TABLE, code, message, cause);
  }
}

describe('an error made from a code table', () => {
  it('has its code and the row of the code', () => {
    const error = new ShopError('BUSY', 'the shop is busy');
    expect(error).toBeInstanceOf(Error);
    expect({ ...error }).toEqual({ name: 'ShopError', code: 'BUSY' });
    expect([error.message, error.row]).toEqual(['the shop is busy', TABLE.BUSY]);
  });

  it('has a cause only where there is one', () => {
    const cause = new Error('disk');
    expect(new ShopError('BUSY', 'x', cause).cause).toBe(cause);
    expect(new ShopError('BUSY', 'x')).not.toHaveProperty('cause');
  });
});

describe('a code', () => {
  it.each(['NOT_FOUND', 'BUSY'])('%s is one of its table', code => expect(isCode(TABLE, code)).toBe(true));

  it.each(['', 'busy', 'toString', '__proto__', 404, null, undefined, ['BUSY']])('%j is not', value =>
    expect(isCode(TABLE, value)).toBe(false),
  );
});
