import type { AppendRefusal } from '../append/refusal.ts';
import { AppendRefused } from '../append/refusal.ts';
import { Disconnect, ReplyError } from '../errors.ts';
import type { ErrorRow } from './link/error-rows.ts';

/** The errors of the engine, as they cross a link (threads 4.9). */
export const ENGINE_ERRORS: readonly ErrorRow[] = [
  {
    name: 'ReplyError',
    pack: error => {
      if (!(error instanceof ReplyError)) return null;
      const { code, message, temporary } = error;
      return { code, message, temporary };
    },
    unpack: ({ code, message, temporary }) =>
      new ReplyError(Number(code), String(message), temporary === true),
  },
  {
    name: 'Disconnect',
    pack: error => (error instanceof Disconnect ? { code: error.code, reason: error.reason } : null),
    unpack: ({ code, reason }) => new Disconnect(Number(code), String(reason)),
  },
  {
    name: 'AppendRefused',
    pack: error => {
      if (!(error instanceof AppendRefused)) return null;
      const { kind, message, meta } = error;
      return { kind, message, meta };
    },
    unpack: ({ kind, message, meta }) =>
      new AppendRefused(kind as AppendRefusal, String(message), meta as AppendRefused['meta']),
  },
];
