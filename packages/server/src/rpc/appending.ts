import { MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { AppendCancel, AppendCommand, AppendFormat, AppendOp, FinalStatus } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import type { AppendStreams } from '../append/append-streams.ts';
import type { AppendSink } from '../append/or-sink.ts';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { RpcHandlers } from './call.ts';

type Request = RpcRequest<'Append'>;

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** @throws MsgError MSG_INVALID_ARGUMENT unless it is exactly one operation */
function opOf({ text, item, open, meta, status, reason }: Request['ops'][number], index: number): AppendOp {
  const count = [text !== null, item !== null, meta !== null, status !== ''].filter(Boolean).length;
  if (count !== 1) throw invalid(`ops[${index}] must have exactly one of text, item, meta and status`);
  if (open !== '' && item === null) throw invalid(`ops[${index}].open goes with item`);
  if (reason !== '' && status === '') throw invalid(`ops[${index}].reason goes with status`);
  if (text !== null) return { text };
  if (item !== null) return open === '' ? { item } : { item, open };
  if (meta !== null) return { meta };
  return { status: status as FinalStatus, reason }; // the engine refuses any other word
}

function opsOf({ ops, text }: Request): readonly AppendOp[] {
  if (text === null) return ops.map(opOf);
  if (ops.length > 0) throw invalid('text and ops exclude each other: give one');
  return [{ text }];
}

function commandOf(request: Request): AppendCommand {
  const { message, producer, seq, format, run, input, orphan_seconds, take_over } = request;
  const orphanMs = orphan_seconds === 0 ? undefined : orphan_seconds * 1000;
  return {
    message,
    producer,
    seq,
    ops: opsOf(request),
    takeOver: take_over,
    ...defined({
      format: format === '' ? undefined : (format as AppendFormat), // the engine refuses any other word
      run: run === '' ? undefined : run,
      input: input === '' ? undefined : input,
      orphanMs,
    }),
  };
}

function sinkOf({ or_sink }: Request): AppendSink | undefined {
  if (or_sink === null) return undefined;
  const { sink, recipient, message } = or_sink;
  return { sink, recipient, message: { ...message, metadata: Object.fromEntries(message.metadata) } };
}

function cancelOf(cancel: AppendCancel | null): RpcResponse<'Append'>['cancel'] {
  return cancel === null ? null : { ...cancel, at: formatTimestamp(cancel.at) };
}

function subjectOf(principal: Principal): string {
  return principal.kind === 'anonymous' ? '' : principal.token.subject;
}

/** True for a request of which there are many: neither the first of its message, nor the last. */
export function isRoutineAppend(
  { seq, ops, text }: Request,
  { status, duplicates }: RpcResponse<'Append'>,
): boolean {
  const isHeartbeat = ops.length === 0 && text === null;
  return status === 'streaming' && (seq !== 1 || isHeartbeat || duplicates > 0);
}

/** Handlers of append streams. */
export function appendHandlers(
  appendStreams: AppendStreams,
  access: Pick<AccessControl, 'showsPayloads'>,
): Pick<RpcHandlers, 'Append' | 'AppendState' | 'AppendCancel'> {
  return {
    async Append(request, call) {
      const { name, ops, text } = request;
      const {
        cancel,
        outcome = '',
        ...answer
      } = await appendStreams.appendForCaller(
        call,
        name,
        ops.length > 0 || text !== null,
        () => commandOf(request),
        sinkOf(request),
      );
      return { ...answer, cancel: cancelOf(cancel), outcome };
    },
    async AppendState({ name, message, wait_seconds, with_document }, { principal }) {
      if (wait_seconds < 0 || wait_seconds > 25)
        throw invalid(`wait_seconds must be from 0 to 25; got ${wait_seconds}`);
      const state = await appendStreams.state(name, {
        ...defined({ message: message === '' ? undefined : message }),
        waitMs: wait_seconds * 1000,
        withDocument: with_document,
      });
      const hidden = with_document && !access.showsPayloads(principal);
      const { expectedSeq, document, cancel, orphanMs, meta: _meta, ...rest } = state;
      return {
        ...rest,
        expected_seq: expectedSeq,
        orphan_seconds: Math.round(orphanMs / 1000),
        cancel: cancelOf(cancel),
        document: with_document && !hidden ? (document?.bytes ?? null) : null,
        hidden,
      };
    },
    async AppendCancel({ name, message, input, reason }, { principal }) {
      const target = defined({
        message: message === '' ? undefined : message,
        input: input === '' ? undefined : input,
      });
      const state = await appendStreams.cancel(name, target, { by: subjectOf(principal), reason });
      return { status: state?.status ?? '', cancel: cancelOf(state?.cancel ?? null) };
    },
  };
}
