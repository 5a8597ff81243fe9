import type { MessagePort } from 'node:worker_threads';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { type Bell, SharedBell } from './bell.ts';
import { ParcelReceiver, ParcelSender } from './parcels.ts';
import { type LinkRecord, type NumberedRecord, PARCEL_FLAG } from './record.ts';
import { RecordSender } from './record-sender.ts';
import { BEHIND_WORD, HEAD_WORD, RingMemory, RUNG_WORD, WAITING_WORD } from './ring-memory.ts';
import { RingReader } from './ring-reader.ts';

/** How often an end looks whether a bell was lost (threads 3.1). */
const LOOK_MS = 250;
/** How long an end reads before its sockets have a turn. */
const TURN_MS = 2;

/** Where the records of one end go to and come from. */
export interface RecordChannelOptions {
  /** The ring that this end reads. */
  readonly incoming: SharedArrayBuffer;
  /** The ring that it writes. */
  readonly outgoing: SharedArrayBuffer;
  readonly parcels: MessagePort;
  readonly clock: Clock;
  readonly spillBytes: number;
  /** What an end reads at most before its sockets, and the ends of other links, have a turn. */
  readonly turnRecords: number;
  /** Default: {@link SharedBell}. */
  readonly bell?: Bell | undefined;
}

/** What a {@link RecordChannel} reports. */
export interface RecordEvents {
  record(record: NumberedRecord): void;
  /** A turn of reading is over. */
  drained(): void;
  /** Records were refused, and half of the spill is free again. */
  room(): void;
  /** Every 250 ms. */
  looked(): void;
  /** The link is closed, because it cannot be trusted. */
  broken(error: Error): void;
}

/** One end of the two rings of a link: it reads in turns, and sleeps while there is nothing. */
export class RecordChannel {
  readonly #clock: Clock;
  readonly #events: RecordEvents;
  readonly #incoming: RingMemory;
  readonly #outgoing: RingMemory;
  readonly #reader: RingReader;
  readonly #parcels: ParcelReceiver;
  readonly #sender: RecordSender;
  readonly #bell: Bell;
  readonly #turnRecords: number;
  #ringScheduled = false;
  #turnScheduled = false;
  #isClosed = false;
  #isReading = false;
  #missedBells = 0;
  /** Where the last look found a record unread, and one for which the other end had rung; null: it found none. */
  #unreadSince: number | null = null;
  #rungSince: number | null = null;
  #timer: TimerHandle;

  constructor(options: RecordChannelOptions, events: RecordEvents) {
    const outgoing = new RingMemory(options.outgoing);
    this.#clock = options.clock;
    this.#events = events;
    this.#incoming = new RingMemory(options.incoming);
    this.#outgoing = outgoing;
    this.#reader = new RingReader(this.#incoming);
    this.#parcels = new ParcelReceiver(options.parcels, this.#incoming);
    const parcels = new ParcelSender(options.parcels, outgoing);
    this.#sender = new RecordSender({ memory: outgoing, parcels, spillBytes: options.spillBytes });
    this.#turnRecords = options.turnRecords;
    this.#bell = options.bell ?? new SharedBell(this.#incoming, outgoing);
    this.#timer = this.#clock.setTimeout(() => this.#look(), LOOK_MS);
    this.#sleep();
  }

  /** Bells that were lost and repaired by a look. */
  get missedBells(): number {
    return this.#missedBells;
  }

  /** Number of the last record that was read, and of the last one that was sent. */
  get readSequence(): number {
    return this.#reader.sequence;
  }

  get sentSequence(): number {
    return this.#sender.sequence;
  }

  /** Bytes that wait for the other end, in the ring and in the spill. */
  get waitingBytes(): number {
    return this.#sender.waitingBytes;
  }

  /** Sends a record; false: it was refused, because the other end does not read. */
  send(record: LinkRecord, refusable: boolean): boolean {
    if (this.#isClosed || !this.#sender.send(record, refusable)) return false;
    this.#ringSoon();
    return true;
  }

  /** Reads all that the other end has sent by now; false: the ring does not have it, it is more than a turn reads, or a record is being read. */
  readNow(): boolean {
    const isBehind = Atomics.load(this.#incoming.words, BEHIND_WORD) === 1;
    if (isBehind || this.#isReading || this.#isClosed) return false;
    if (this.#reader.hasNext) this.#readTurn();
    return !this.#isClosed && !this.#reader.hasNext;
  }

  /** Reads everything that was written, whatever the time: for an end whose other end is gone. */
  readAll(): void {
    this.#readWhile(() => true);
  }

  close(): void {
    this.#isClosed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#bell.close();
  }

  /** Rings once per turn: the records of a turn share a bell. */
  #ringSoon(): void {
    if (this.#ringScheduled) return;
    this.#ringScheduled = true;
    this.#clock.afterTurn(() => {
      this.#ringScheduled = false;
      if (this.#isClosed) return;
      this.#ring();
      this.#tellRoom(); // a send may have written what waited
    });
  }

  #ring(): void {
    const { words } = this.#outgoing;
    const head = Atomics.load(words, HEAD_WORD);
    this.#bell.ring();
    Atomics.store(words, RUNG_WORD, head);
  }

  /**
   * Announces the sleep, then looks once more at everything that the other end rings for: a record, and room for what waits
   * here. What it did before the announcement is seen now, and for what it does from now on it finds a sleeper.
   */
  #sleep(): void {
    if (!this.#reader.hasNext) {
      this.#bell.sleep(() => this.#turn());
      this.#flush();
    }
    if (this.#reader.hasNext) this.#turnSoon();
  }

  #turnSoon(): void {
    if (this.#turnScheduled) return;
    this.#turnScheduled = true;
    this.#clock.afterTurn(() => {
      this.#turnScheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    if (this.#isClosed) return;
    this.#readTurn();
    if (!this.#isClosed) this.#sleep();
  }

  #readTurn(): void {
    const until = this.#clock.monotonic() + TURN_MS;
    let records = 0;
    this.#readWhile(
      () => ++records < this.#turnRecords && (records % 16 !== 0 || this.#clock.monotonic() < until),
    );
  }

  #readWhile(goesOn: () => boolean): void {
    this.#isReading = true;
    try {
      for (let record = this.#next(); record !== null; record = goesOn() ? this.#next() : null) {
        this.#events.record(record);
        if (this.#isClosed) return;
      }
    } catch (error) {
      this.#break(error as Error);
      return;
    } finally {
      this.#isReading = false;
    }
    this.#flush();
    this.#events.drained();
  }

  #next(): NumberedRecord | null {
    const record = this.#reader.next();
    if (record === null) return null;
    const isParcel = (record.flags & PARCEL_FLAG) !== 0;
    const body = isParcel ? this.#parcels.take() : record.body;
    // After everything that makes room, the parcel too: a writer that announces its wait later sees the room itself.
    if (Atomics.exchange(this.#incoming.words, WAITING_WORD, 0) === 1) this.#ringSoon();
    return isParcel ? { ...record, flags: record.flags & ~PARCEL_FLAG, body } : record;
  }

  #flush(): void {
    if (this.#sender.flush()) this.#ringSoon();
    this.#tellRoom();
  }

  #tellRoom(): void {
    if (this.#sender.takeRefused()) this.#events.room();
    this.#sender.catchUp();
  }

  #break(error: Error): void {
    this.close();
    this.#events.broken(error);
  }

  /**
   * A record that two looks find in the same place is read, whatever kept its bell. The bell counts as lost only when both
   * looks find that it was rung: a writer that did not run between its record and its bell has lost nothing.
   */
  #look(): void {
    this.#flush();
    const { hasNext, hasRung, sequence } = this.#reader;
    if (hasNext && sequence === this.#unreadSince) this.#turnSoon();
    if (hasRung && sequence === this.#rungSince) this.#missedBells++;
    this.#unreadSince = hasNext ? sequence : null;
    this.#rungSince = hasRung ? sequence : null;
    this.#events.looked();
    if (!this.#isClosed) this.#timer = this.#clock.setTimeout(() => this.#look(), LOOK_MS);
  }
}
