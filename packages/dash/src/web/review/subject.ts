import { type Sentence, subjectOf } from '../../changeset/words.ts';
import { display } from '../../document/display.ts';
import { isCommitSubject } from '../../store/commit-subject.ts';

/** What a proposal is called, and its commit: the first line of the note where it can be a subject, else the first words. */
export function subjectText(id: string, note: string | undefined, words: readonly Sentence[]): string {
  const [line = ''] = (note ?? '').split('\n');
  const text = line.trim();
  return isCommitSubject(text) ? text : (subjectOf(words) ?? `Change ${display(id)}`);
}
