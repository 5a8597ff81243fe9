import { markdownTable } from '../../../scripts/markdown-table.ts';
import { EVERYTHING, expectedOutcome, NEXT } from './case.ts';
import { CASES } from './cases.ts';
import { CLIENTS } from './clients.ts';

/** What the table's words mean, and what an application does about a listener that ends. */
export const MEANINGS: ReadonlyMap<string, string> = new Map([
  [EVERYTHING, 'it came back by itself and received what was published meanwhile, then the next publication'],
  [NEXT, 'it went on or came back by itself and received the next publication'],
  [
    'unsubscribed 2000',
    'the channel was deleted, or it is private and its TTL passed: subscribe again when the application has made a new one',
  ],
  [
    'unsubscribed 102',
    'the channel was deleted by hand: its name is not to be had again before the server restarts',
  ],
  [
    'unsubscribed 103',
    'it has no valid token any more, because the key that signed it is gone, or because it ended without a token callback: fetch a new pair from your server. With `--state-dir` keys outlive a restart',
  ],
  ['unsubscribed 1', "the subscription's token ended and there is no token callback: give one"],
  [
    'disconnected 1',
    "the connection's token ended, and there is no token callback or it told that the user is signed out: sign in again",
  ],
  ['terminal MSG_AUTH_EXPIRED', 'the same, as the event `terminal` of the wrapper says it: sign in again'],
]);

const BEGIN = '<!-- generated: the life of a listener -->';
const END = '<!-- end of the generated part -->';

function part(): string {
  const rows = CASES.map(each => [
    each.title,
    each.visibility,
    ...CLIENTS.map(({ name }) => expectedOutcome(each, name)),
  ]);
  return [
    BEGIN,
    markdownTable(['What happens', 'Channel', ...CLIENTS.map(({ name }) => name)], rows),
    '',
    markdownTable(
      ['Outcome', 'Meaning'],
      [...MEANINGS].map(([outcome, meaning]) => [outcome, meaning]),
    ),
    END,
  ].join('\n');
}

/** The page with its generated part as the cases declare it. */
export function withListenerTable(page: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`${BEGIN} and ${END} must stand in the page`);
  return page.slice(0, begin) + part() + page.slice(end + END.length);
}
