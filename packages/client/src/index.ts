export { MsgError } from '@msg/core';
export * from './recoverable.ts';
export * from './refresh-controller.ts';
export * from './token-store.ts';
export * from './transports.ts';
