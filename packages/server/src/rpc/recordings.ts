import { MsgError } from '@msg/core';
import { formatTimestamp } from '@msg/core/internal';
import type { ClusterRecordings } from '../live/cluster-recordings.ts';
import { holderOf } from '../live/holder.ts';
import type { RpcHandlers } from './call.ts';

type RecordingMethods = 'StartRecording' | 'GetRecording' | 'StopRecording';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function requireId(recording: string): void {
  if (recording === '') throw invalid('recording is required');
}

/** Handlers of the flight recorder. */
export function recordingHandlers(recordings: ClusterRecordings): Pick<RpcHandlers, RecordingMethods> {
  return {
    async StartRecording({ client, seconds, payloads }, { principal }) {
      if (client === '') throw invalid('client is required');
      if (seconds < 0 || seconds > MAX_SECONDS)
        throw invalid(`seconds must be from 1 to ${MAX_SECONDS}; got ${seconds}`);
      const started = await recordings.start({
        client,
        seconds: seconds || DEFAULT_SECONDS,
        payloads,
        holder: holderOf(principal) ?? null,
      });
      return { ...started, until: formatTimestamp(started.until) };
    },
    async GetRecording({ recording, after }) {
      requireId(recording);
      if (after < 0) throw invalid(`after must be 0 or more; got ${after}`);
      return recordings.page(recording, after);
    },
    async StopRecording({ recording }) {
      requireId(recording);
      await recordings.stop(recording);
      return {};
    },
  };
}
