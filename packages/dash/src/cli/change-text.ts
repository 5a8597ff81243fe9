import type { Sentence } from '../changeset/words.ts';

/** Sentences as lines for people. */
export function sentencesText(words: readonly Sentence[]): string {
  return words.length === 0 ? 'no changes\n' : `${words.map(({ text }) => text).join('\n')}\n`;
}
