import type { RealtimeNode } from '@msg/engine';
import { applyDelta } from '@msg/protocol';
import type { LinkEvents, ReceivedPublication, ServerMessage, SubscribeAnswer } from '../link.ts';
import { MemoryLink } from '../memory-link.ts';
import { type Entry, type Truth, textOf } from './truth.ts';

export interface Manner {
  readonly encoding: 'json' | 'protobuf';
  readonly delta: boolean;
}

/** So many entries may be in a stream before the truth knows them. */
const LATE_ENTRIES = 32;

interface Document {
  readonly id: string;
  readonly status: string;
  readonly text: string;
}

/** A client that keeps its position and its base as the stock ones do, and compares all that it sees with the truth. */
export class AppendReader implements LinkEvents {
  readonly name: string;
  readonly manner: Manner;
  readonly #node: RealtimeNode;
  readonly #truth: Truth;
  readonly #violation: (text: string) => void;
  /** Text of each message as last seen, in this epoch. */
  readonly texts = new Map<string, Document>();
  #link: MemoryLink | null = null;
  #connection = 0;
  #lastId = 0;
  #base: Uint8Array | null = null;
  #epoch = '';
  #offset = 0;
  #subscribed = false;
  /** Top of the stream when it joined without recovery: up to there it gets the open message and what is retained. */
  #joinedAt = 0;
  /** Publications may come to a reader before the truth knows them: then all is compared at the end. */
  readonly #late: { readonly epoch: string; readonly offset: number; readonly compare: () => void }[] | null;
  recovered = 0;
  unrecovered = 0;
  seen = 0;

  constructor(
    name: string,
    manner: Manner,
    node: RealtimeNode,
    truth: Truth,
    violation: (text: string) => void,
    comparesLate = false,
  ) {
    this.#late = comparesLate ? [] : null;
    this.name = name;
    this.manner = manner;
    this.#node = node;
    this.#truth = truth;
    this.#violation = text =>
      violation(`${name} (${manner.encoding}${manner.delta ? ', delta' : ''}): ${text}`);
  }

  get connected(): boolean {
    return this.#link !== null;
  }

  get position(): { readonly offset: number; readonly epoch: string } {
    return { offset: this.#offset, epoch: this.#epoch };
  }

  /** The first offset up to the top that it has to have and has not got; null: none. `kept`: what the stream still has. */
  missed(kept: ReadonlySet<number>): number | null {
    const end = this.#truth.top(this.#epoch) + 1;
    for (let offset = this.#offset; ; ) {
      const missing = this.#truth.missing(this.#epoch, offset, end);
      // What was removed before it joined, nobody can give it.
      if (missing === null || missing > this.#joinedAt || kept.has(missing)) return missing;
      offset = missing;
    }
  }

  connect(): void {
    if (this.#link !== null) return;
    const connection = ++this.#connection;
    this.#link = new MemoryLink(this.#node, this.manner.encoding, {
      received: message => {
        if (connection === this.#connection) this.received(message);
      },
      closed: code => {
        if (connection === this.#connection) this.closed(code);
      },
    });
    this.#link.send([{ kind: 'connect', id: ++this.#lastId, token: this.name }]);
    this.#subscribe();
  }

  hangUp(): void {
    this.#connection++;
    this.#link?.hangUp();
    this.#link = null;
    this.#subscribed = false;
  }

  /** Forgets everything and comes back as a new client. */
  startOver(): void {
    this.hangUp();
    this.#epoch = '';
    this.#offset = 0;
    this.#base = null;
    this.texts.clear();
  }

  stopReading(): void {
    this.#link?.stopReading();
  }

  /** What was kept for the end is compared, once the truth knows all of it; else the first offset that it does not know. */
  compareAll(): number | null {
    const late = this.#late ?? [];
    const unknown = late.find(({ epoch, offset }) => this.#truth.entry(epoch, offset) === undefined);
    if (unknown !== undefined) return unknown.offset;
    for (const { compare } of late.splice(0)) compare();
    return null;
  }

  readAgain(): void {
    this.#link?.readAgain();
  }

  closed(_code: number): void {
    this.#link = null;
    this.#subscribed = false;
  }

  received(message: ServerMessage): void {
    if (message.kind === 'reply' && message.answer !== null) this.#onSubscribed(message.answer);
    else if (message.kind === 'reply' && message.error !== 0) this.#violation(`error ${message.error}`);
    else if (message.kind === 'publication') this.#onPublication(message.publication);
    else if (message.kind === 'unsubscribed') {
      this.#subscribed = false;
      if (message.code < 2500) this.#violation(`unsubscribed with ${message.code}`);
      else queueMicrotask(() => this.#subscribe());
    }
  }

  #subscribe(): void {
    if (this.#link === null || this.#subscribed) return;
    const recover = this.#epoch !== '';
    const { delta } = this.manner;
    const position = recover ? { epoch: this.#epoch, offset: this.#offset } : { epoch: '', offset: 0 };
    this.#link.send([
      { kind: 'subscribe', id: ++this.#lastId, channel: 'c', recover, ...position, delta, flag: 0 },
    ]);
  }

  #onSubscribed(answer: SubscribeAnswer): void {
    this.#subscribed = true;
    const before = { offset: this.#offset, epoch: this.#epoch };
    const asked = this.#epoch !== '';
    if (asked && answer.recovered) {
      this.recovered++;
      if (answer.epoch !== before.epoch) this.#violation('recovered in another epoch');
      for (const publication of answer.publications) this.#onPublication(publication);
      return;
    }
    if (asked) this.unrecovered++;
    if (answer.epoch !== this.#epoch) this.texts.clear();
    this.#epoch = answer.epoch;
    this.#offset = answer.offset;
    this.#joinedAt = this.#truth.top(answer.epoch) + (this.#late === null ? 0 : LATE_ENTRIES);
  }

  #onPublication(publication: ReceivedPublication): void {
    this.seen++;
    const { offset } = publication;
    const from = this.#offset;
    if (offset <= from) {
      this.#violation(`offset ${offset} after ${from}`);
      return;
    }
    this.#offset = offset;
    const [epoch, after, bytes] = [this.#epoch, Math.max(from, this.#joinedAt), this.#bytesOf(publication)];
    const compare = (): void => {
      const missing = this.#truth.missing(epoch, after, offset);
      if (missing !== null) this.#violation(`went from ${from} to ${offset} without ${missing}`);
      this.#compare(epoch, offset, bytes);
    };
    if (this.#late === null) compare();
    else this.#late.push({ epoch, offset, compare });
  }

  #bytesOf({ bytes, delta, quoted }: ReceivedPublication): Uint8Array {
    if (this.manner.delta && quoted === false)
      this.#violation('data of a delta subscription is not a string');
    if (!delta) {
      this.#base = bytes;
      return bytes;
    }
    try {
      this.#base = applyDelta(this.#base ?? new Uint8Array(0), bytes);
    } catch (error) {
      this.#violation(`a patch that does not apply: ${error}`);
    }
    return this.#base ?? bytes;
  }

  #compare(epoch: string, offset: number, bytes: Uint8Array): void {
    const entry = this.#truth.entry(epoch, offset);
    const value = this.#parsed(bytes);
    if (value === null) return;
    if (entry === undefined) this.#violation(`nothing was published at ${offset}`);
    else if (entry.kind === 'ordinary') {
      if (value.text !== entry.text) this.#violation(`${JSON.stringify(value)} at ${offset}`);
    } else this.#compareState(offset, value, entry);
  }

  #parsed(bytes: Uint8Array): Document | null {
    try {
      return JSON.parse(Buffer.from(bytes).toString()) as Document;
    } catch {
      this.#violation('a publication that is not JSON');
      return null;
    }
  }

  #compareState(offset: number, value: Document, { message, text }: Extract<Entry, { kind: 'state' }>): void {
    const last = this.texts.get(value.id);
    if (last !== undefined && !value.text.startsWith(last.text))
      this.#violation(`the text went back at ${offset}`);
    if (last !== undefined && last.status !== 'streaming')
      this.#violation(`a state after the end at ${offset}`);
    if (value.id !== message.id || value.text !== text) this.#violation(`another text at ${offset}`);
    if (!textOf(message).startsWith(value.text)) this.#violation(`no prefix at ${offset}`);
    this.texts.set(value.id, value);
  }
}
