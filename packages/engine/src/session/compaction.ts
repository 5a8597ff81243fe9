import type { Encoding } from '@msg/protocol';

/**
 * SDKs that resolve numeric channel ids in Protobuf. centrifuge-js (5.7.4 and 5.8.0) does not: it compares 64-bit integer
 * objects by identity and drops pushes by id; its applications may also set any other name. An empty name belongs to no
 * SDK.
 */
const RESOLVES_PROTOBUF_IDS = new Set(['', 'go', 'python', 'dart', 'swift', 'java', 'csharp']);

/** Whether pushes to this client may carry a numeric id instead of the channel's name (client protocol 14). */
export function resolvesChannelIds(encoding: Encoding, sdkName: string): boolean {
  return encoding === 'json' || RESOLVES_PROTOBUF_IDS.has(sdkName);
}
