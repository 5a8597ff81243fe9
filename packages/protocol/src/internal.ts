// For the packages of this repository alone: nothing here is promised to programs.
export { isUtf8 } from './bytes/utf8.ts';
export { disconnectCodeRow } from './codes/disconnect-codes.ts';
export { errorCodeRow } from './codes/error-codes.ts';
export { unsubscribeCodeRow } from './codes/unsubscribe-codes.ts';
export type * from './control/application-messages.ts';
export { decodeControl, encodeControl } from './control/codec.ts';
export type * from './control/connection-messages.ts';
export type * from './control/messages.ts';
export type * from './control/node-messages.ts';
export { appendPatch, documentLength, type GrownDocument } from './delta/append-patch.ts';
export { checksum } from './delta/checksum.ts';
export { createPatch, DELTA_BYTES, type PatchOptions } from './delta/patch.ts';
export { ResidueSums, weightOf } from './delta/residue-sums.ts';
export { classifyPayload, EMPTY_PAYLOAD, jsonForm, jsonString } from './payload/payload.ts';
export * from './storage/broker-message.ts';
export * from './storage/records.ts';
export type { StateMessage } from './storage/state-message.ts';
export { FrameStream } from './streams/frame-stream.ts';
