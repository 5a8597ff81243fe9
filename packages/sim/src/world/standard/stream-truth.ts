import { decodePublicationRecord } from '@msg/protocol/internal';
import type { Kernel } from '../../kernel/kernel.ts';
import { type Published, textOf } from '../../oracles/observations.ts';
import type { Write } from '../../redis/state.ts';

/** Names of the keys of streams, as the service chooses them with its default prefix (client protocol 16.1). */
const STREAM = 'msg:b:1.stream.';
const META = `${STREAM}meta.`;

/** What the streams of a store got, read from its writes at the moment of each: the truth of the oracles. */
export class StreamTruth {
  readonly published: Published[] = [];
  /** When the store lost everything. */
  readonly wipedAtUs: number[] = [];
  readonly #kernel: Kernel;
  readonly #epochs = new Map<string, string>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** The store has written something. */
  written({ args: [command = '', key = '', ...rest] }: Write): void {
    const name = command.toUpperCase();
    if (name === 'HSET' && key.startsWith(META)) this.#noteEpoch(key.slice(META.length), rest);
    else if (name === 'XADD' && key.startsWith(STREAM)) this.#note(key.slice(STREAM.length), rest);
  }

  /** The store has lost everything. */
  wiped(): void {
    this.wipedAtUs.push(this.#kernel.nowUs);
    this.#epochs.clear();
  }

  #noteEpoch(channel: string, fields: readonly string[]): void {
    for (let at = 0; at < fields.length; at += 2)
      if (fields[at] === 'e') this.#epochs.set(channel, fields[at + 1] ?? '');
  }

  /** @param rest of `XADD`: `MAXLEN`, size, offset, `d`, record */
  #note(channel: string, [, , offset = '', , record = '']: readonly string[]): void {
    const { data } = decodePublicationRecord(Buffer.from(record, 'latin1'));
    const payload: unknown = JSON.parse(Buffer.from(data.bytes).toString());
    this.published.push({
      atUs: this.#kernel.nowUs,
      channel,
      epoch: this.#epochs.get(channel) ?? '',
      offset: Number.parseInt(offset, 10),
      text: textOf(payload),
    });
  }
}
