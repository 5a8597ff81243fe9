import { type MsgCode, MsgError, type MsgErrorOptions } from '@msg/core';
import { type ErrorRow, LinkBusy, LinkRequestFailed, LinkTimeout } from '@msg/engine/threads';
import { defined } from '@msg/foundation/json';
import { KeyringFormatError } from '../../auth/keys/document.ts';
import { KeyringConflict } from '../../auth/keys/store/contract.ts';
import { InvalidTokenError, type InvalidTokenReason } from '../../auth/tokens/invalid-token.ts';

type Packed = Readonly<Record<string, unknown>>;

/** How long a caller waits before it asks again. */
const AGAIN_MS = 1000;

function packed({ code, message, ...error }: MsgError): Packed {
  const { retryAfterMs, situation, reason, meta } = error;
  const unauthenticated = error.twirp === 'unauthenticated';
  return { code, message, ...defined({ retryAfterMs, situation, reason }), meta, unauthenticated };
}

/** The errors of the service, as they cross from main to a thread and back (threads 4.9). */
export const STORE_ERRORS: readonly ErrorRow[] = [
  {
    name: 'KeyringFormatError',
    pack: error =>
      error instanceof KeyringFormatError
        ? { problem: error.problem, location: error.situation?.values?.['path'] }
        : null,
    unpack: ({ problem, location }) =>
      new KeyringFormatError(String(problem), location as string | undefined),
  },
  {
    name: 'KeyringConflict',
    pack: error => (error instanceof KeyringConflict ? { message: error.message } : null),
    unpack: ({ message }) => new KeyringConflict(String(message)),
  },
  {
    name: 'InvalidTokenError',
    pack: error => {
      if (!(error instanceof InvalidTokenError)) return null;
      const { label, type, message } = error;
      return { label, type, message, unauthenticated: error.twirp === 'unauthenticated' };
    },
    unpack: ({ label, type, message, unauthenticated }) =>
      new InvalidTokenError(
        label as InvalidTokenReason,
        type as string | undefined,
        unauthenticated === true,
        String(message),
      ),
  },
  {
    name: 'MsgError',
    pack: error => (error instanceof MsgError ? packed(error) : null),
    unpack: ({ code, message, ...options }) =>
      new MsgError(code as MsgCode, String(message), options as MsgErrorOptions), // as it was packed
  },
  {
    // Of the shared store, whose package is not loaded for this.
    name: 'StoreError',
    pack: error =>
      error instanceof Error && error.name === 'StoreError' && 'mayHaveHappened' in error
        ? { message: error.message, mayHaveHappened: error.mayHaveHappened }
        : null,
    unpack: ({ message, mayHaveHappened }) =>
      mayHaveHappened === true ? unknownOutcome(String(message)) : notReady(String(message)),
  },
];

/** The coded error of a request that main did not answer, or did not get; any other error as it is. */
export function linkFailure(error: unknown): unknown {
  if (error instanceof LinkBusy) return notReady(error.message, error);
  if (error instanceof LinkTimeout || error instanceof LinkRequestFailed)
    return unknownOutcome(error.message, error);
  return error;
}

function notReady(message: string, cause?: Error): MsgError {
  return new MsgError('MSG_BROKER_NOT_READY', message, { retryAfterMs: AGAIN_MS, cause });
}

function unknownOutcome(message: string, cause?: Error): MsgError {
  return new MsgError('MSG_BROKER_INTERNAL', `${message}: the outcome of the call is not known`, { cause });
}
