import { MsgError } from '@msg/core';
import { errorText } from '../sinks/error-text.ts';
import type { RetryingSink } from '../sinks/retrying.ts';
import type { DeadLetterClaim } from './contract.ts';

/** What became of a letter that was sent again, and all sends of it so far. */
export interface SentAgain {
  /** `gone`: the recipient is gone for good, and so is the letter. */
  readonly outcome: 'sent' | 'parked' | 'gone';
  readonly attempts: number;
  /** Empty when it was sent. */
  readonly lastError: string;
}

/** Sends a claimed letter by the retries of its sink, or at most so often, and ends the claim. Rejects when the store fails. */
export async function sendClaimed(
  claim: DeadLetterClaim,
  sink: RetryingSink,
  recipient: unknown,
  most?: number,
): Promise<SentAgain> {
  const { message, channel } = claim.letter;
  const run = await sink.attempt(recipient, message, { channel }, most);
  const attempts = claim.letter.attempts + run.attempts;
  if (run.sent) {
    await claim.remove();
    return { outcome: 'sent', attempts, lastError: '' };
  }
  const lastError = errorText(run.error);
  if (run.reason === 'gone') {
    await claim.remove();
    return { outcome: 'gone', attempts, lastError };
  }
  await claim.fail({ attempts, lastError });
  return { outcome: 'parked', attempts, lastError };
}

/** Checks the recipient that a letter is to have. @throws MsgError MSG_SINK_RECIPIENT_DECODE */
export function checkRecipient(sink: RetryingSink, recipient: unknown): void {
  const decoded = decodeRecipient(sink, recipient);
  try {
    sink.inner.checkRecipient?.(decoded);
  } catch (cause) {
    const text = `sink ${sink.name} refuses the recipient: ${errorText(cause)}`;
    throw new MsgError('MSG_SINK_RECIPIENT_DECODE', text, { cause });
  }
}

/** The recipient in the form of the sink. @throws MsgError MSG_SINK_RECIPIENT_DECODE */
export function decodeRecipient(sink: RetryingSink, stored: unknown): unknown {
  if (sink.decodeRecipient === undefined) {
    throw new MsgError('MSG_SINK_RECIPIENT_DECODE', `sink ${sink.name} cannot read stored recipients`);
  }
  try {
    return sink.decodeRecipient(stored);
  } catch (cause) {
    throw new MsgError(
      'MSG_SINK_RECIPIENT_DECODE',
      `sink ${sink.name} cannot read the stored recipient: ${errorText(cause)}`,
      { cause },
    );
  }
}
