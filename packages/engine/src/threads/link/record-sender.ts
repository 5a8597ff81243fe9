import { LONGEST_INLINE, type ParcelSender, sharedBody } from './parcels.ts';
import { type LinkRecord, type NumberedRecord, PARCEL_FLAG } from './record.ts';
import { BEHIND_WORD, type RingMemory, recordBytes, WAITING_WORD } from './ring-memory.ts';
import { RingWriter } from './ring-writer.ts';

const EMPTY = new Uint8Array(0);

/** What a {@link RecordSender} writes to, and how much may wait. */
export interface RecordSenderOptions {
  readonly memory: RingMemory;
  readonly parcels: ParcelSender;
  /** Bytes of records that may be refused and wait for room in the ring. */
  readonly spillBytes: number;
}

/**
 * Writes records in the order of the calls. While the ring has no room they wait in a queue of bounded size, the spill;
 * beyond it those that may be refused are (threads 3.2).
 */
export class RecordSender {
  readonly #memory: RingMemory;
  readonly #writer: RingWriter;
  readonly #parcels: ParcelSender;
  readonly #spillBytes: number;
  readonly #longestBody: number;
  #spill: NumberedRecord[] = [];
  /** Records of the spill that were written. */
  #written = 0;
  #spilledBytes = 0;
  #sequence = 0;
  #hasRefused = false;
  #isBehind = false;

  constructor({ memory, parcels, spillBytes }: RecordSenderOptions) {
    this.#memory = memory;
    this.#writer = new RingWriter(memory);
    this.#parcels = parcels;
    this.#spillBytes = spillBytes;
    this.#longestBody = Math.min(LONGEST_INLINE, memory.longestBody);
  }

  /** Number of the last record that was taken, also when it waits. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Bytes that wait in the ring and in the spill. */
  get waitingBytes(): number {
    return this.#memory.used + this.#spilledBytes;
  }

  /** True once after records were refused, when half of the spill is free again. */
  takeRefused(): boolean {
    if (!this.#hasRefused || this.#spilledBytes > this.#spillBytes / 2) return false;
    this.#hasRefused = false;
    return true;
  }

  /** Who was refused something has been told: from now on the ring has everything, unless something waits. */
  catchUp(): void {
    if (!this.#isBehind || this.#hasRefused || this.#spill.length > 0) return;
    this.#isBehind = false;
    Atomics.store(this.#memory.words, BEHIND_WORD, 0);
  }

  /** Takes a record; the body may change afterwards. False: it was refused, which only one that is `refusable` is. */
  send(record: LinkRecord, refusable: boolean): boolean {
    const isParcel = record.body.length > this.#longestBody;
    const size = recordBytes(record.body.length);
    const mustWait = this.#spilledBytes > 0;
    if (mustWait && refusable && this.#spilledBytes + size > this.#spillBytes) return this.#refuse();
    const numbered = { ...record, sequence: (this.#sequence + 1) >>> 0 };
    if (mustWait || !this.#write(numbered)) {
      if (refusable && size > this.#spillBytes) return this.#refuse();
      const body = isParcel ? sharedBody(record.body) : new Uint8Array(record.body); // a slice of a Buffer is a view
      this.#fallBehind();
      this.#spill.push({ ...numbered, body });
      this.#spilledBytes += size;
      this.flush(); // the reader may have made room before it could see that this end waits
    }
    this.#sequence = numbered.sequence;
    return true;
  }

  /** Writes what waits, as far as there is room; true: something was written. */
  flush(): boolean {
    if (this.#spill.length === 0) return false;
    const before = this.#spilledBytes;
    Atomics.store(this.#memory.words, WAITING_WORD, 1);
    for (; this.#written < this.#spill.length; this.#written++) {
      const record = this.#spill[this.#written] as NumberedRecord;
      if (!this.#write(record)) break;
      this.#spilledBytes -= recordBytes(record.body.length);
    }
    if (this.#written === this.#spill.length || this.#written > 1024) {
      this.#spill = this.#spill.slice(this.#written);
      this.#written = 0;
    }
    if (this.#spill.length === 0) Atomics.store(this.#memory.words, WAITING_WORD, 0);
    return this.#spilledBytes < before;
  }

  #write(record: NumberedRecord): boolean {
    const { body, flags } = record;
    if (body.length <= this.#longestBody) return this.#writer.write(record, flags, body);
    if (!this.#parcels.fits(body.length) || !this.#writer.hasRoom(0)) return false;
    this.#parcels.post(body);
    return this.#writer.write(record, flags | PARCEL_FLAG, EMPTY);
  }

  #refuse(): false {
    this.#hasRefused = true;
    this.#fallBehind();
    return false;
  }

  #fallBehind(): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    Atomics.store(this.#memory.words, BEHIND_WORD, 1);
  }
}
