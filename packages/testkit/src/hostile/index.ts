export { type FloodOptions, type FloodOutcome, flood } from './flood.ts';
export { bodyChunk, pipelined, type RawRequest, rawRequest, unfinishedRequest } from './http-request.ts';
export type { RawResponse } from './http-response.ts';
export { RESET_STAGES, type ResetRequest } from './reset-stages.ts';
export { type DripOptions, HostileSocket, type HostileSocketOptions, type SocketEnd } from './socket.ts';
export {
  clientFrame,
  compressionBomb,
  type FrameOptions,
  fragmentedMessage,
  OPCODES,
  upgradeRequest,
} from './websocket-frame.ts';
