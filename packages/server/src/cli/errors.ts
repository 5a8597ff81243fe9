import { UsageError } from '@msg/command-line';
import { CODE_TABLE, isMsgCode, type MsgCode } from '@msg/core';
import { CODE_ADVICE, SITUATIONS, type SituationAdvice } from '@msg/core/advice';
import { TWIRP_STATUS } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import { suggest } from '@msg/foundation/suggest';
import { localCommand, type MsgCommand, printResult } from './command.ts';
import { pageOf } from './failure.ts';
import { plainText } from './plain-text.ts';

const CODES = Object.keys(CODE_TABLE) as MsgCode[]; // its own keys

/** The code behind a word; `MSG_` and capital letters may be left out. @throws UsageError */
function codeNamed(word: string): MsgCode {
  const upper = word.toUpperCase();
  const code = [upper, `MSG_${upper}`].find(isMsgCode);
  if (code !== undefined) return code;
  const near = suggest(upper, CODES);
  throw new UsageError(
    `code ${JSON.stringify(word)} does not exist; ${near === undefined ? `known: ${CODES.join(', ')}` : `did you mean ${near}?`}`,
    {
      remedy: 'msg errors',
    },
  );
}

function advice(code: MsgCode): object {
  const { cause, remedy, more } = CODE_ADVICE[code];
  const situations: readonly SituationAdvice[] = Object.values(SITUATIONS);
  return {
    code,
    status: TWIRP_STATUS[CODE_TABLE[code].twirp],
    retryable: CODE_TABLE[code].retryable,
    cause: plainText(cause),
    remedy: plainText(remedy),
    ...defined({ more: more === undefined ? undefined : plainText(more) }),
    page: pageOf(code),
    situations: situations
      .filter(situation => situation.code === code)
      .map(situation => ({ cause: plainText(situation.cause), remedy: plainText(situation.remedy) })),
  };
}

/** `errors`: the meaning of the codes, from the table behind the troubleshooting page. */
const errors = localCommand({
  name: 'errors',
  args: [
    { name: 'code', help: 'an error code, with or without MSG_; absent: all', optional: true, words: CODES },
  ],
  summary: 'what an error code means and what to do about it, offline',
  settings: {},
  examples: [
    { line: 'errors', help: 'all codes with their remedies' },
    { line: 'errors MSG_AUTH_DENIED', help: 'cause, remedy and the situations that the command line knows' },
  ],
  async run({ args: [word], io }) {
    if (word !== undefined) printResult(io, { kind: 'msg.errors.get', payload: advice(codeNamed(word)) });
    else {
      const rows = CODES.map(code => ({ code, remedy: plainText(CODE_ADVICE[code].remedy) }));
      printResult(io, { kind: 'msg.errors.list', payload: { errors: rows } });
    }
  },
});

/** `errors`. */
export const errorCommands: readonly MsgCommand[] = [errors];
