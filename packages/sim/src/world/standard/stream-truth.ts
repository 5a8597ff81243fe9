import { decodePublicationRecord } from '@msg/protocol/internal';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { type Fork, type Published, type Renewal, textOf } from '../../oracles/observations.ts';
import type { RedisState, Write } from '../../redis/state.ts';

/** Names of the keys of streams, as the service chooses them with its default prefix (client protocol 16.1). */
export const STREAM = 'msg:b:1.stream.';
export const META = `${STREAM}meta.`;

type Noted = { -readonly [Name in keyof Published]: Published[Name] };

/** The epochs of streams by channel, as one server has them. */
export type Epochs = Map<string, string>;

/** What the streams of a store got, read from its writes at the moment of each: the truth of the oracles. */
export class StreamTruth {
  readonly published: Published[] = [];
  /** When the store lost everything. */
  readonly wipedAtUs: number[] = [];
  readonly forks: Fork[] = [];
  readonly renewals: Renewal[] = [];
  readonly #kernel: Pick<WorldKernel, 'nowUs'>;
  readonly #byWrite = new Map<Write, Noted>();
  #epochs: Epochs = new Map();
  /** Those of a server that was replaced and does not know it. */
  #replacedEpochs: Epochs = new Map();
  #line = 0;

  constructor(kernel: Pick<WorldKernel, 'nowUs'>) {
    this.#kernel = kernel;
  }

  /** The store has written something. `isKept`: at its master, and not at a server that was replaced. */
  written(write: Write, isKept = true): void {
    const [command = '', key = '', ...rest] = write.args;
    const name = command.toUpperCase();
    const epochs = isKept ? this.#epochs : this.#replacedEpochs;
    if (name === 'FLUSHALL') this.#flushed(isKept);
    if (name === 'HSET' && key.startsWith(META)) this.#noteEpoch(key.slice(META.length), rest, isKept);
    if (name !== 'XADD' || !key.startsWith(STREAM)) return;
    const channel = key.slice(STREAM.length);
    const noted = this.#note(channel, epochs.get(channel) ?? '', rest);
    this.#byWrite.set(write, noted);
    if (this.#line > 0) noted.line = isKept ? this.#line : this.#line - 1;
    if (!isKept) noted.lostUs = noted.atUs;
  }

  /** The store has lost everything. */
  wiped(): void {
    this.wipedAtUs.push(this.#kernel.nowUs);
    this.#epochs.clear();
  }

  /** A replica was promoted, which has these epochs and lacks these writes. */
  promoted(epochs: Epochs, lost: readonly Write[]): void {
    const { nowUs } = this.#kernel;
    for (const write of lost) {
      const noted = this.#byWrite.get(write);
      if (noted !== undefined) noted.lostUs = nowUs;
    }
    this.#line++;
    this.forks.push({ atUs: nowUs, untilUs: Number.POSITIVE_INFINITY });
    this.#replacedEpochs = this.#epochs;
    this.#epochs = epochs;
  }

  /** The server that was replaced follows the new master. */
  settled(): void {
    const last = this.forks.pop();
    if (last !== undefined) this.forks.push({ ...last, untilUs: this.#kernel.nowUs });
  }

  /** A server that stands still does it later than it was asked to, and one that dies never. */
  #flushed(isKept: boolean): void {
    if (isKept) this.wiped();
    else this.#replacedEpochs.clear();
  }

  #noteEpoch(channel: string, fields: readonly string[], isKept: boolean): void {
    const epochs = isKept ? this.#epochs : this.#replacedEpochs;
    for (let at = 0; at < fields.length; at += 2) {
      if (fields[at] !== 'e') continue;
      const epoch = fields[at + 1] ?? '';
      if (isKept && epochs.has(channel)) this.#noteRenewal(channel, epoch);
      epochs.set(channel, epoch);
    }
  }

  #noteRenewal(channel: string, epoch: string): void {
    const before = this.#epochs.get(channel) ?? '';
    const last = this.published.findLast(
      each => each.channel === channel && each.epoch === before && each.lostUs === undefined,
    );
    const { nowUs: atUs } = this.#kernel;
    const base = this.renewals.findLast(each => each.channel === channel && each.epoch === before);
    this.renewals.push({ channel, epoch, before, atUs, offset: last?.offset ?? base?.offset ?? 0 });
  }

  /** @param rest of `XADD`: `MAXLEN`, size, offset, `d`, record */
  #note(channel: string, epoch: string, [, , offset = '', , record = '']: readonly string[]): Noted {
    const { data } = decodePublicationRecord(Buffer.from(record, 'latin1'));
    const payload: unknown = JSON.parse(Buffer.from(data.bytes).toString());
    const noted: Noted = {
      atUs: this.#kernel.nowUs,
      channel,
      epoch,
      offset: Number.parseInt(offset, 10),
      text: textOf(payload),
    };
    this.published.push(noted);
    return noted;
  }
}

/** The epochs of the streams of a simulated server. */
export function epochsOf(state: RedisState): Epochs {
  const keys = state.database(0);
  const epochs: Epochs = new Map();
  for (const key of keys?.names() ?? []) {
    const epoch = key.startsWith(META) ? keys?.read(key, 'hash')?.get('e') : undefined;
    if (epoch !== undefined) epochs.set(key.slice(META.length), epoch);
  }
  return epochs;
}
