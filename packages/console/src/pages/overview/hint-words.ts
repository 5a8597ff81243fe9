import { bytes, sentence, span, whole } from '../../parts/text.ts';

/** How a value is written. */
type Unit = (value: number) => string;

const perSecond: Unit = value => `${value < 10 ? value.toFixed(1) : whole(Math.round(value))}/s`;
const share: Unit = value => `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`;
const count: Unit = value => whole(Math.round(value));
const seconds: Unit = value => (value < 1 ? `${Math.round(value * 1000)} ms` : span(value * 1000));

/** What a hint says. */
export interface HintWords {
  readonly title: string;
  /** What its value is, and how it is written. */
  readonly value?: readonly [what: string, unit: Unit];
  /** Instead of a value: what the hint means. */
  readonly note?: string;
  /** Where the console shows more. */
  readonly way?: readonly [text: string, page: string, query?: string];
}

const CONNECTIONS = ['Show connections', 'connections', 'sort=queue_bytes&order=down'] as const;
const KEYS = ['Show keys', 'keys'] as const;
/** By the name of the hint. */
export const HINT_WORDS: Readonly<Record<string, HintWords>> = {
  MsgSubsystemDown: { title: 'Not everything works', value: ['Parts that fail', count] },
  MsgPublishFailures: { title: 'Publishing fails', value: ['Refused', share] },
  MsgServerErrors: { title: 'Requests fail', value: ['Answers with a 5xx status', perSecond] },
  MsgSlowConsumers: { title: 'Readers are too slow', value: ['Cut', perSecond], way: CONNECTIONS },
  MsgQueueGrowing: { title: 'Queues are long', value: ['Waiting for readers', bytes], way: CONNECTIONS },
  MsgRecoveriesFail: { title: 'Clients miss publications', value: ['Recoveries that fail', share] },
  MsgContinuityLost: { title: 'Streams break off', value: ['Subscriptions begun anew', perSecond] },
  MsgEventLoopBusy: { title: 'Event loop busy', value: ['p99 lag', seconds] },
  MsgFileDescriptorsShort: {
    title: 'File descriptors run out',
    value: ['In use', share],
    way: ['Show connections', 'connections'],
  },
  MsgSinkFailing: { title: 'Sinks fail', value: ['Sends that fail', share], way: ['Show sinks', 'sinks'] },
  MsgKeyringNotWatched: {
    title: 'Keys are not watched',
    note: 'A change of the keys by another node is not noticed.',
    way: KEYS,
  },
  MsgSigningKeyOld: { title: 'The signing key is old', value: ['In use for', seconds], way: KEYS },
  MsgRefreshTokenReuse: { title: 'Refresh tokens are used twice', value: ['Refused', perSecond] },
  MsgApiErrors: { title: 'The HTTP API fails', value: ['Commands that fail', share] },
  MsgAuditFailing: {
    title: 'Audit records are lost',
    value: ['Not stored', count],
    way: ['Show audit', 'audit'],
  },
  MsgDeadLetterJobTripped: {
    title: 'A redrive ended after failures in a row',
    value: ['Jobs', count],
    way: ['Show letters', 'dead-letters'],
  },
  MsgFeedsShort: { title: 'Live feeds of operators run out', value: ['Open', count] },
  MsgTailsShort: { title: 'Tails of operators run out', value: ['Open', count] },
  NoAuth: { title: 'No authentication', note: 'Everyone who reaches the address is admin.' },
  KeysEndWithProcess: {
    title: 'Keys are in memory alone',
    note: 'A restart ends every token.',
    way: KEYS,
  },
  NodeVersionsDiffer: { title: 'Nodes run different versions', value: ['Versions', count] },
  NodeClocksDiffer: { title: 'The clock is off', value: ['From that of the store', seconds] },
  NodeMissing: { title: 'No answer', note: 'What the page shows is without this node.' },
};

/** What a hint says; one of a newer service has the words of its name. */
export function wordsOf(name: string): HintWords {
  const words = HINT_WORDS[name];
  if (words !== undefined) return words;
  const text = name.replace(/^Msg/, '').replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');
  return { title: sentence(text.toLowerCase()), value: ['Value', perSecond] };
}
