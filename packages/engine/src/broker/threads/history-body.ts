import { defined } from '@msg/foundation/json';
import type { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { HistoryFilter } from '../contract.ts';

/** The arguments of a read. */
export interface HistoryArguments {
  readonly channel: string;
  readonly filter: HistoryFilter;
  readonly metaTtlMs: number;
}

const SINCE = 1;
const REVERSE = 2;
const PEEK = 4;

export function writeHistory(to: BodyWriter, { channel, filter, metaTtlMs }: HistoryArguments): BodyWriter {
  const { since, limit, reverse, peek } = filter;
  const flags =
    (since === undefined ? 0 : SINCE) | (reverse === true ? REVERSE : 0) | (peek === true ? PEEK : 0);
  to.u8(flags).text(channel).f64(metaTtlMs).f64(limit);
  return since === undefined ? to : to.f64(since.offset).text(since.epoch);
}

export function readHistory(from: BodyReader): HistoryArguments {
  const flags = from.u8();
  const [channel, metaTtlMs, limit] = [from.text(), from.f64(), from.f64()];
  const since = (flags & SINCE) === 0 ? undefined : { offset: from.f64(), epoch: from.text() };
  const [reverse, peek] = [(flags & REVERSE) !== 0, (flags & PEEK) !== 0];
  return { channel, filter: defined({ since, limit, reverse, peek }), metaTtlMs };
}
