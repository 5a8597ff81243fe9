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

function described(error: unknown): Described {
  if (error instanceof UsageError) {
    const code = 'MSG_INVALID_ARGUMENT';
    const remedy = error.remedy ?? CODE_ADVICE[code].remedy;
    return { code, text: error.message, remedy, page: pageOf(code) };
  }
  const { code, message, situation } = toMsgError(error);
  // The operator of a command may read the message of an uncoded failure.
  const isCoded = error instanceof MsgError || !(error instanceof Error);
  const text = isCoded ? message : (error.message.split('\n', 1)[0] ?? '');
  if (situation === undefined) return { code, text, remedy: CODE_ADVICE[code].remedy, page: pageOf(code) };
  const { page }: SituationAdvice = SITUATIONS[situation.name];
  return { code, text, remedy: remedyOf(situation), page: page === undefined ? pageOf(code) : PAGES + page };
}

/**
 * `error: <MSG code>: <text>`, what to try and where to read on; exit code 1. Source: messaging details 16.1,
 * application developers 9.
 */
export function failure(error: unknown): Failure {
  const { code, text, remedy, page } = described(error);
  return { text: `error: ${code}: ${text}`, exitCode: 1, remedy: plainText(remedy), page };
}
