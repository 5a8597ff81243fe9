import { type Failure, UsageError } from '@msg/command-line';
import { type MsgCode, MsgError } from '@msg/core';
import { CODE_ADVICE, remedyOf, SITUATIONS, type SituationAdvice } from '@msg/core/advice';
import { toMsgError } from '@msg/core/internal';
import { plainText } from './plain-text.ts';

const PAGES = 'docs/';

/** The page that describes a code. */
export function pageOf(code: MsgCode): string {
  return `${PAGES}troubleshooting.md#${code}`;
}

interface Described {
  readonly code: MsgCode;
  readonly text: string;
  readonly remedy: string;
  readonly page: string;
}

/** Commands whose wrong settings stand in a file as well: the message names file and line. */
const WITH_FILES = /^(?:serve|config |health)/;

/** What to do about a code where nothing more is known: a wrong argument of a command is described in its help. */
function remedyFor(code: MsgCode, command: string): string {
  const isOfLine = code === 'MSG_INVALID_ARGUMENT' && command !== '' && !WITH_FILES.test(command);
  return isOfLine ? `msg ${command} --help` : CODE_ADVICE[code].remedy;
}

function described(error: unknown, command: string): Described {
  if (error instanceof UsageError) {
    const code = 'MSG_INVALID_ARGUMENT';
    const remedy = error.remedy ?? remedyFor(code, command);
    return { code, text: error.message, remedy, page: pageOf(code) };
  }
  const { code, message, situation } = toMsgError(error);
  // The operator of a command may read the message of an uncoded failure.
  const isCoded = error instanceof MsgError || !(error instanceof Error);
  const text = isCoded ? message : (error.message.split('\n', 1)[0] ?? '');
  if (situation === undefined) return { code, text, remedy: remedyFor(code, command), page: pageOf(code) };
  const { page }: SituationAdvice = SITUATIONS[situation.name];
  return { code, text, remedy: remedyOf(situation), page: page === undefined ? pageOf(code) : PAGES + page };
}

/**
 * `error: <MSG code>: <text>`, what to try and where to read on; exit code 1. Source: messaging details 16.1,
 * application developers 9.
 */
export function failure(error: unknown, _json: boolean, command: string): Failure {
  const { code, text, remedy, page } = described(error, command);
  return { text: `error: ${code}: ${text}`, exitCode: 1, remedy: plainText(remedy), page };
}
