// For the packages of this repository alone: nothing here is promised to programs.
export { isUtf8 } from './bytes/utf8.ts';
export { disconnectCodeRow } from './codes/disconnect-codes.ts';
export { errorCodeRow } from './codes/error-codes.ts';
export { unsubscribeCodeRow } from './codes/unsubscribe-codes.ts';
export { decodeControl, encodeControl } from './control/codec.ts';
export type * from './control/messages.ts';
export { createPatch, DELTA_BYTES, type PatchOptions } from './delta/patch.ts';
export { classifyPayload, EMPTY_PAYLOAD, jsonForm, jsonString } from './payload/payload.ts';
export * from './storage/broker-message.ts';
export * from './storage/records.ts';
export { FrameStream } from './streams/frame-stream.ts';
