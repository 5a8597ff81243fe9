import { describe, expect, it } from 'vitest';
import { StoreError, storeError } from '#src/store-error.ts';

class ReplyError extends Error {
  override readonly name = 'ReplyError';
}

const WRITTEN = { name: 'SET', wasWritten: true };

describe('an error reply of the store', () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM', 'OOM, it is out of memory'],
    [
      "READONLY You can't write against a read only replica.",
      'READONLY',
      'READONLY, it is a read-only replica',
    ],
    [
      "OOM command not allowed when used memory > 'maxmemory'. script: 5ab4, on @user_script:12.",
      'OOM',
      'OOM, it is out of memory',
    ],
    [
      'ERR Error running script (call to f_5ab4): @user_script:12: @user_script: 12: -MISCONF Redis is configured to save',
      'MISCONF',
      'MISCONF, it cannot save its data',
    ],
    ['LOADING Redis is loading the dataset in memory', 'LOADING', 'LOADING, it is loading its data'],
    ['CLUSTERDOWN The cluster is down', 'CLUSTERDOWN', 'CLUSTERDOWN, its cluster is down'],
  ])('%s is a rejection: nothing happened', (text, code, rejection) => {
    const cause = new ReplyError(text);
    expect(storeError(cause, WRITTEN)).toMatchObject({
      name: 'StoreError',
      code,
      rejection,
      mayHaveHappened: false,
      message: `the shared store refuses the command: ${rejection}`,
      cause,
    });
  });

  it.each([
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'NOSCRIPT No matching script. Please use EVAL.',
    "ERR unknown command 'NOPE', with args beginning with: ",
    'ERR Error running script (call to f_5ab4): @user_script:1: user_script:1: attempt to index a nil value',
    'EXECABORT Transaction discarded because of previous errors.',
    '',
  ])('%j is about the command and stays as it is', text => {
    const cause = new ReplyError(text);
    expect(storeError(cause, WRITTEN)).toBe(cause);
  });
});

describe('a command without an answer', () => {
  const lost = new Error('Command timed out');

  it('that was not written has certainly not happened', () => {
    const error = storeError(lost, { name: 'EVALSHA', wasWritten: false });
    expect(error).toMatchObject({
      code: 'DISCONNECTED',
      mayHaveHappened: false,
      rejection: undefined,
      cause: lost,
    });
    expect(error).toBeInstanceOf(StoreError);
  });

  it('that was written may have happened', () => {
    for (const name of ['SET', 'EVALSHA', 'PUBLISH', 'hset'])
      expect(storeError(lost, { name, wasWritten: true })).toMatchObject({
        code: 'NO_ANSWER',
        mayHaveHappened: true,
      });
  });

  it('that only reads has changed nothing', () => {
    for (const name of ['GET', 'hgetall', 'XRANGE'])
      expect(storeError(lost, { name, wasWritten: true })).toMatchObject({
        code: 'NO_ANSWER',
        mayHaveHappened: false,
      });
  });
});

it('says nothing of addresses, keys and values', () => {
  const cause = new Error('connect ECONNREFUSED 10.1.2.3:6379 SET secret');
  expect((storeError(cause, WRITTEN) as Error).message).toBe('the shared store did not answer');
});
