'use client';

export { MsgProvider, type MsgProviderProps, useMsg } from './provider.ts';
export * from './use-channel.ts';
export { type Connection, useConnection } from './use-connection.ts';
export { type PresenceClient, type PresenceView, usePresence } from './use-presence.ts';
