import type { Encoding } from '@msg/protocol';

/**
 * SDKs that resolve numeric channel ids in Protobuf. centrifuge-js (5.7.4 and 5.8.0) does not: it compares its
 * 64-bit integer objects by identity, so pushes by id are lost without a trace; an application may also give
 * its client a name of its own. No name: not one of the SDKs.
 */
const RESOLVES_PROTOBUF_IDS = new Set(['', 'go', 'python', 'dart', 'swift', 'java', 'csharp']);

/** May pushes to this client carry a numeric id instead of the channel's name (client protocol 14)? */
export function resolvesChannelIds(encoding: Encoding, sdkName: string): boolean {
  return encoding === 'json' || RESOLVES_PROTOBUF_IDS.has(sdkName);
}
