import { Payload } from '@msg/protocol';
import { decodePublicationRecord } from '@msg/protocol/internal';
import type { AppendFormat, AppendState, AppendStatus } from '../../../append/contract.ts';
import { encodeHead } from '../../../append/document.ts';
import { GrowingDocument, SUFFIX } from '../../../append/growing-document.ts';
import { parsedCancel, TAILS } from './requests.ts';

/** What a read says about the head of an open message. */
interface OpenHead {
  readonly message: string;
  readonly format: string;
  readonly run: string;
  readonly input: string;
  readonly meta: Uint8Array | null;
}

/** The head of an open message. */
export function openHead({ message: id, format, run, input, meta }: OpenHead): Uint8Array {
  const status = 'streaming';
  return encodeHead({ id, status, reason: '', run, input, meta, format: format as AppendFormat });
}

/** An open message from the answer of the script that reads one; without its document when the body was not asked for. */
export function openState(
  epoch: string,
  fields: readonly (Buffer | null)[],
  body: Uint8Array | null,
): AppendState {
  const meta = fields[12] ?? null;
  const [message, producer, seq, offset, format, run, input, tail, headLength, length, orphan, cancel] =
    fields.map(field => field?.toString() ?? '') as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
  const open = TAILS[tail] ?? 'closed';
  const head = openHead({ message, format, run, input, meta });
  return {
    message,
    producer,
    run,
    input,
    format: format as AppendFormat,
    status: 'streaming',
    reason: '',
    meta,
    seq: Number(seq),
    expectedSeq: Number(seq) + 1,
    offset: Number(offset),
    epoch,
    size: Number(headLength) + Number(length) + SUFFIX[open].length,
    orphanMs: Number(orphan),
    cancel: parsedCancel(cancel),
    document:
      body === null ? null : Payload.ofJson(new GrowingDocument(head, open).grow(body, open, null).toBytes()),
  };
}

/** An ended message from the answer of the script that reads one. */
export function endedState(
  epoch: string,
  message: string,
  fields: readonly (Buffer | null)[],
  record: Uint8Array,
): AppendState {
  const [, producer, seq, offset, format, run, input, status, reason, size, cancel] = fields.map(
    field => field?.toString() ?? '',
  ) as [string, string, string, string, string, string, string, string, string, string, string];
  return {
    message,
    producer,
    run,
    input,
    format: format as AppendFormat,
    status: status as AppendStatus,
    reason: reason === '' ? '' : JSON.parse(reason),
    meta: null,
    seq: Number(seq),
    expectedSeq: Number(seq) + 1,
    offset: Number(offset),
    epoch,
    size: Number(size),
    orphanMs: 0,
    cancel: parsedCancel(cancel),
    document: record.length === 0 ? null : decodePublicationRecord(record, Number(offset)).data,
  };
}
