import { defined } from '@msg/foundation/json';
import type { RpcClient, Sparse } from '../rpc/client.ts';
import type { RpcRequest } from '../rpc/methods.ts';
import type { AppendFormat, AppendPort, AppendStatus, WriterOp, WriterSink } from './port.ts';

const SECOND_MS = 1000;

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

/** A writer's way to the service over the RPC. */
export function rpcPort(client: RpcClient, name: string): AppendPort {
  return {
    async append({ orphanMs, takeOver, orSink, ops, ...request }) {
      const { cancel, outcome, status, ...answer } = await client.call('Append', {
        name,
        ...request,
        ops: ops.map(wireOp),
        ...defined({
          orphan_seconds: orphanMs === undefined ? undefined : Math.ceil(orphanMs / SECOND_MS),
          take_over: takeOver,
          or_sink: orSink === undefined ? undefined : wireSink(orSink),
        }),
      });
      return {
        ...answer,
        status: status as AppendStatus, // one of the four that the service knows
        cancel,
        ...defined({ outcome: outcome === '' ? undefined : outcome }),
      };
    },
    async state(message, waitMs, withDocument) {
      const { expected_seq, orphan_seconds, status, format, ...state } = await client.call('AppendState', {
        name,
        ...defined({ message }),
        wait_seconds: Math.floor(waitMs / SECOND_MS),
        with_document: withDocument,
      });
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
