import type { Publication } from '@msg/protocol';
import { decodePublicationRecord } from '@msg/protocol/internal';
import type { HistoryFilter, HistoryResult } from '../../contract.ts';
import { rangeOf } from '../history-range.ts';
import type { AppendScripts } from './append-scripts.ts';
import type { DueMessages } from './due-messages.ts';
import { Mirror, type ReadMessage, statePublication } from './mirror.ts';
import type { Mirrors } from './mirrors.ts';
import { TAILS } from './requests.ts';
import { HISTORY } from './scripts.ts';
import { openHead } from './stored-messages.ts';

/** An entry of a stream: its id, then names and values. */
type Entry = readonly [id: Buffer, fields: readonly Buffer[]];

type ReadReply = readonly [
  name: Buffer,
  top: Buffer,
  epoch: Buffer,
  entries: readonly Entry[],
  open: readonly (Buffer | null)[],
  body: Buffer,
  following: readonly Entry[],
];

interface OpenPublication {
  readonly publication: Publication;
  readonly prior: number;
}

/** Reads streams whose messages grow (append streams 9.1, 11). */
export class AppendReads {
  readonly #scripts: AppendScripts;
  readonly #mirrors: Mirrors;
  readonly #due: DueMessages;

  constructor(scripts: AppendScripts, mirrors: Mirrors, due: DueMessages) {
    this.#scripts = scripts;
    this.#mirrors = mirrors;
    this.#due = due;
  }

  /**
   * As `history` of a broker; life '' looks only. `isDelivered`: the node delivers the channel, so that a copy of the open
   * message is of use.
   */
  async read(
    channel: string,
    filter: HistoryFilter,
    life: number | '',
    isDelivered: boolean,
  ): Promise<HistoryResult> {
    if (!isDelivered) return (await this.#read(channel, filter, life, true)).result;
    this.#mirrors.beginRead(channel);
    let message: ReadMessage | null = null;
    try {
      const mirror = this.#mirrors.of(channel);
      const first = await this.#read(channel, filter, life, mirror === null || mirror.isDoubtful);
      const { result, read } = first.isWhole ? first : await this.#read(channel, filter, life, true);
      message = read;
      return result;
    } finally {
      // In the turn in which the result is there: what came meanwhile goes to subscribers before they go on.
      this.#mirrors.endRead(channel, message);
    }
  }

  /** One read; without the body it is whole only when the copy has the newest state, or no message is open. */
  async #read(
    channel: string,
    filter: HistoryFilter,
    life: number | '',
    withBody: boolean,
  ): Promise<{ result: HistoryResult; read: ReadMessage | null; isWhole: boolean }> {
    const args = [this.#scripts.newEpoch(), life, ...rangeOf(filter), withBody ? '1' : ''];
    const isLarge = withBody || filter.limit !== 0;
    const answer = isLarge
      ? await this.#scripts.runLarge(HISTORY, channel, args)
      : await this.#scripts.run(HISTORY, channel, args);
    const [name, first] = answer as ReadReply;
    if (name.toString() === 'due') {
      await this.#due.end(channel, first.toString());
      return this.#read(channel, filter, life, withBody);
    }
    const reply = answer as ReadReply;
    const read = withBody ? readMessage(reply) : null;
    const state = read === null ? this.#copied(channel, reply) : Mirror.ofRead(read).state;
    const open = openPublication(reply, state);
    const isWhole = withBody || reply[4].length === 0 || open !== null;
    return { result: resultOf(reply, open, filter), read, isWhole };
  }

  /** The newest state of the open message from the copy, if that has it. */
  #copied(channel: string, [, , epoch, , [message, offset]]: ReadReply): Mirror['state'] | null {
    const mirror = this.#mirrors.of(channel);
    return mirror?.holds(String(message), Number(offset), epoch.toString()) === true ? mirror.state : null;
  }
}

function readMessage([, top, epoch, , open, body]: ReadReply): ReadMessage | null {
  if (open.length === 0) return null;
  const [message, offset, , format, run, input, tail] = open.map(field => field?.toString() ?? '') as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    message,
    offset: Number(offset),
    head: openHead({ message, format, run, input, meta: open[7] ?? null }),
    tail: TAILS[tail] ?? 'closed',
    body,
    top: { offset: Number(top), epoch: epoch.toString() },
  };
}

function openPublication(
  [, , , , [, offset, prior]]: ReadReply,
  state: Mirror['state'] | null,
): OpenPublication | null {
  if (state === null) return null;
  return { publication: statePublication(state, Number(offset), null), prior: Number(prior) };
}

function resultOf(
  [, top, epoch, entries, , , following]: ReadReply,
  open: OpenPublication | null,
  filter: HistoryFilter,
): HistoryResult {
  const read = entries.map(entryOf);
  if (open !== null && filter.limit !== 0 && selects(filter, open.publication.offset)) {
    const { offset } = open.publication;
    const isBehind = (other: number): boolean => (filter.reverse === true ? other < offset : other > offset);
    const at = read.findIndex(({ publication }) => isBehind(publication.offset));
    read.splice(at < 0 ? read.length : at, 0, open);
    if (filter.limit > 0) read.length = Math.min(read.length, filter.limit);
  }
  const compacted = {
    priors: read.map(({ prior }) => prior),
    open: open?.publication ?? null,
    following: following.map(entry => entryOf(entry).publication),
  };
  const publications = read.map(({ publication }) => publication);
  return { publications, offset: Number(top), epoch: epoch.toString(), compacted };
}

function selects({ since, reverse }: HistoryFilter, offset: number): boolean {
  if (since === undefined) return true;
  return reverse === true ? offset < since.offset : offset > since.offset;
}

function entryOf([id, [, record, , prior]]: Entry): OpenPublication {
  const offset = Number.parseInt(id.toString('latin1'), 10);
  const publication = decodePublicationRecord(record as Buffer, offset);
  return { publication, prior: prior === undefined ? offset - 1 : Number(prior) };
}
