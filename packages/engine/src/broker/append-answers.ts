import type { AppendResult, AppendState } from '../append/contract.ts';
import type { EndedMessage, OpenMessage } from './channel-appends.ts';
import type { ChannelRecord } from './memory-record.ts';

/** The answer to a request for the open message, which may have ended with it. */
export function openResult({ stream }: ChannelRecord, open: OpenMessage, duplicates: number): AppendResult {
  return {
    seq: open.seq,
    offset: open.offset,
    epoch: stream?.epoch ?? '',
    status: open.document.fields.status,
    size: open.state?.size ?? 0,
    duplicates,
    cancel: open.cancel,
  };
}

/** The answer to a request that an ended message has applied before. */
export function endedResult(
  { stream }: ChannelRecord,
  ended: EndedMessage,
  duplicates: number,
): AppendResult {
  const { seq, offset, status, size, cancel } = ended;
  return { seq, offset, epoch: stream?.epoch ?? '', status, size, duplicates, cancel };
}

export function openState(record: ChannelRecord, open: OpenMessage): AppendState {
  const { message, producer, document, orphanMs } = open;
  const { run, input, format, reason, meta } = document.fields;
  const { duplicates: _, ...result } = openResult(record, open, 0);
  const payload = publicationAt(record, open.offset)?.data ?? null;
  const expectedSeq = open.seq + 1;
  return {
    ...result,
    expectedSeq,
    message,
    producer,
    run,
    input,
    format,
    reason,
    meta,
    orphanMs,
    document: payload,
  };
}

export function endedState(record: ChannelRecord, message: string, ended: EndedMessage): AppendState {
  const { producer, run, input, format, reason, offset } = ended;
  const { duplicates: _, ...result } = endedResult(record, ended, 0);
  const payload = publicationAt(record, offset)?.data ?? null;
  const expectedSeq = ended.seq + 1;
  return {
    ...result,
    expectedSeq,
    message,
    producer,
    run,
    input,
    format,
    reason,
    meta: null,
    orphanMs: 0,
    document: payload,
  };
}

function publicationAt({ stream }: ChannelRecord, offset: number) {
  const since = { offset: offset - 1, epoch: '' };
  const [publication] = stream?.read({ since, limit: 1 }) ?? [];
  return publication?.offset === offset ? publication : null;
}
