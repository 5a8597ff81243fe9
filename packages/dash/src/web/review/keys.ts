import type { Markup } from '../../render/markup.ts';
import { keysDialog } from '../page-head.ts';

const KEYS = [
  ['j', 'next item'],
  ['k', 'previous item'],
  ['v', 'side by side, stacked, swipe'],
  ['w', 'whole page, and back to the items'],
  ['c', 'to the subject of the commit'],
  ['r', 'send back'],
  ['?', 'this list'],
  ['Esc', 'close what is open'],
] as const;

/** The list of keys of a review, shown on `?`. */
export function reviewKeys(): Markup {
  return keysDialog(KEYS);
}
