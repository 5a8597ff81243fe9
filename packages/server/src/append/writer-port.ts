import type { AppendPort, WriterOp, WriterSink } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { AppendStreams } from './append-streams.ts';
import type { AppendSink } from './or-sink.ts';

function sinkOf({ sink, recipient = null, message = {} }: WriterSink): AppendSink {
  return { sink, recipient, message };
}

/** A writer's way into this process. */
export function writerPort(streams: AppendStreams, channel: string): AppendPort {
  return {
    append({ ops, orSink, ...request }) {
      const sink = orSink === undefined ? undefined : sinkOf(orSink);
      return streams.append(channel, { ...request, ops: ops satisfies readonly WriterOp[] }, sink);
    },
    async state(message, waitMs, withDocument) {
      const { document, ...state } = await streams.state(channel, {
        waitMs,
        withDocument,
        isWriter: true,
        ...defined({ message }),
      });
      return { ...state, document: withDocument ? (document?.bytes ?? null) : null };
    },
  };
}
