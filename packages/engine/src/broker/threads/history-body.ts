import { defined } from '@msg/foundation/json';
import type { Publication } from '@msg/protocol';
import { decodePublicationRecord, encodePublicationRecord } from '@msg/protocol/internal';
import type { BodyReader, BodyWriter } from '../../threads/link/body.ts';
import type { HistoryFilter, HistoryResult } from '../contract.ts';

/** The arguments of a read. */
export interface HistoryArguments {
  readonly channel: string;
  readonly filter: HistoryFilter;
  readonly metaTtlMs: number;
}

const SINCE = 1;
const REVERSE = 2;
const PEEK = 4;
const COMPACTED = 1;
const OPEN = 2;

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

export function writeHistoryResult(to: BodyWriter, result: HistoryResult): BodyWriter {
  const { compacted } = result;
  const open = compacted?.open ?? null;
  to.u8((compacted === undefined ? 0 : COMPACTED) | (open === null ? 0 : OPEN));
  to.f64(result.offset).text(result.epoch);
  writeList(to, result.publications);
  if (compacted === undefined) return to;
  for (const prior of compacted.priors) to.f64(prior);
  if (open !== null) writeOne(to, open);
  return writeList(to, compacted.following);
}

export function readHistoryResult(from: BodyReader): HistoryResult {
  const flags = from.u8();
  const [offset, epoch, publications] = [from.f64(), from.text(), readList(from)];
  if ((flags & COMPACTED) === 0) return { offset, epoch, publications };
  const priors = publications.map(() => from.f64());
  const open = (flags & OPEN) === 0 ? null : readOne(from);
  return { offset, epoch, publications, compacted: { priors, open, following: readList(from) } };
}

function writeList(to: BodyWriter, publications: readonly Publication[]): BodyWriter {
  to.u32(publications.length);
  for (const publication of publications) writeOne(to, publication);
  return to;
}

function writeOne(to: BodyWriter, publication: Publication): void {
  to.f64(publication.offset).bytes(encodePublicationRecord(publication));
}

function readList(from: BodyReader): Publication[] {
  return Array.from({ length: from.u32() }, () => readOne(from));
}

function readOne(from: BodyReader): Publication {
  const offset = from.f64();
  return decodePublicationRecord(from.bytes(), offset);
}
