import { hasControls } from '../document/display.ts';

const LONGEST_SUBJECT = 200;

/** The rule of {@link isCommitSubject} in words. */
export const SUBJECT_RULE = `one line of 1 to ${LONGEST_SUBJECT} characters without control and bidirectional characters`;

/**
 * True for the subject of a commit: one line that a log shows as it is written. A bidirectional control could show it as
 * another one.
 */
export function isCommitSubject(text: string): boolean {
  return text !== '' && text.length <= LONGEST_SUBJECT && text.isWellFormed() && !hasControls(text);
}
