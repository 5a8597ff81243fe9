/** A piece of a sentence; `was` and `is` are the words that differ. */
export interface WordPart {
  readonly text: string;
  readonly mark?: 'was' | 'is';
}

/** Characters of the equal text beside a difference that are shown. */
const CONTEXT = 24;
/** Characters of a differing text that are shown. */
const MOST_DIFFERING = 80;

/** Two texts with the words that differ marked; of equal text before and after them only the nearest is shown. */
export function differingWords(
  from: string,
  to: string,
): { readonly was: readonly WordPart[]; readonly is: readonly WordPart[] } {
  const [old, next] = [wordsOf(from), wordsOf(to)];
  let start = 0;
  while (start < Math.min(old.length, next.length) && old[start] === next[start]) start++;
  let end = 0;
  const most = Math.min(old.length, next.length) - start;
  while (end < most && old.at(-1 - end) === next.at(-1 - end)) end++;
  const before = old.slice(0, start).join('');
  const after = end === 0 ? '' : old.slice(-end).join('');
  const part = (words: readonly string[], mark: 'was' | 'is'): WordPart[] => [
    ...plain(before.length <= CONTEXT ? before : `…${before.slice(-CONTEXT).toWellFormed()}`),
    ...marked(words.slice(start, words.length - end).join(''), mark),
    ...plain(after.length <= CONTEXT ? after : `${after.slice(0, CONTEXT).toWellFormed()}…`),
  ];
  return { was: part(old, 'was'), is: part(next, 'is') };
}

/** Words, runs of blanks and single other characters. */
function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function plain(text: string): WordPart[] {
  return text === '' ? [] : [{ text }];
}

function marked(text: string, mark: 'was' | 'is'): WordPart[] {
  if (text === '') return [];
  const shown = text.length <= MOST_DIFFERING ? text : `${text.slice(0, MOST_DIFFERING - 1).toWellFormed()}…`;
  return [{ text: shown, mark }];
}
