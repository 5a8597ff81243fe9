import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { withDeadline } from '@msg/foundation/promises';
import { MsgError } from '../errors.ts';
import type { RpcClient, Sparse } from '../rpc/client.ts';
import type { RpcRequest } from '../rpc/methods.ts';
import type { AppendFormat, AppendPort, AppendStatus, WriterOp, WriterSink } from './port.ts';

const SECOND_MS = 1000;
/** A server that has not answered for so long, beside what it was asked to wait, is left. */
const ANSWER_MS = 5000;

type WireOp = Sparse<RpcRequest<'Append'>['ops'][number]>;

function wireOp(op: WriterOp): WireOp {
  if (!('item' in op)) return op;
  return { item: op.item, ...defined({ open: op.open }) };
}

function wireSink({
  sink,
  recipient = null,
  message = {},
}: WriterSink): Sparse<RpcRequest<'Append'>['or_sink']> {
  const { metadata = {}, ...texts } = message;
  return { sink, recipient, message: { ...texts, metadata: new Map(Object.entries(metadata)) } };
}

/** A writer's way to the service over the RPC. A request without an answer fails, and may be repeated at the next server. */
export function rpcPort(client: RpcClient, name: string, clock: Clock): AppendPort {
  function answered<T>(call: () => Promise<T>, waitMs = 0): Promise<T> {
    const { turn } = client;
    return withDeadline(clock, waitMs + ANSWER_MS, call(), () => {
      if (turn !== undefined) client.moveOn?.(turn);
      throw new MsgError('MSG_BROKER_NOT_READY', `no answer for ${(waitMs + ANSWER_MS) / SECOND_MS} s`);
    });
  }
  return {
    async append({ orphanMs, takeOver, orSink, ops, ...request }) {
      const body = {
        name,
        ...request,
        ops: ops.map(wireOp),
        ...defined({
          orphan_seconds: orphanMs === undefined ? undefined : Math.ceil(orphanMs / SECOND_MS),
          take_over: takeOver,
          or_sink: orSink === undefined ? undefined : wireSink(orSink),
        }),
      };
      const { cancel, outcome, status, ...answer } = await answered(() => client.call('Append', body));
      return {
        ...answer,
        status: status as AppendStatus, // one of the four that the service knows
        cancel,
        ...defined({ outcome: outcome === '' ? undefined : outcome }),
      };
    },
    async state(message, waitMs, withDocument) {
      const wait_seconds = Math.floor(waitMs / SECOND_MS);
      const body = { name, ...defined({ message }), wait_seconds, with_document: withDocument };
      const read = await answered(() => client.call('AppendState', body), wait_seconds * SECOND_MS);
      const { expected_seq, orphan_seconds, status, format, ...state } = read;
      return {
        ...state,
        status: status as AppendStatus, // one of the four that the service knows
        format: format as AppendFormat,
        expectedSeq: expected_seq,
        orphanMs: orphan_seconds * SECOND_MS,
      };
    },
  };
}
