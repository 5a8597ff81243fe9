import { CODE_TABLE, type MsgCode, MsgError } from '@msg/core';
import { expect, test } from 'vitest';
import { isRecoverable } from '#src/recoverable.ts';

test('exactly four codes are recoverable', () => {
  const codes = (Object.keys(CODE_TABLE) as MsgCode[]).filter(code => isRecoverable(new MsgError(code, 'x')));
  expect(codes.sort()).toEqual([
    'MSG_BROKER_INTERNAL',
    'MSG_BROKER_NOT_READY',
    'MSG_INTERNAL',
    'MSG_RATE_LIMITED',
  ]);
});

test('an error without a code is recoverable', () => {
  expect(isRecoverable(new TypeError('fetch failed'))).toBe(true);
});
