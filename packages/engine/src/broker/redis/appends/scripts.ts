import { type LuaScript, lua } from '@msg/redis';

const script = (file: string): LuaScript => lua(['./open-message.lua', file], import.meta.url);

/** The scripts of append streams: one atomic step each (append streams 9.1). */
export const APPEND = script('./append.lua');
export const APPEND_TEXT = lua('./append-text.lua', import.meta.url);
export const END = script('./end-append.lua');
export const CANCEL = script('./cancel-append.lua');
export const STATE = script('./append-state.lua');
export const HISTORY = script('./append-history.lua');
export const OUTCOME = script('./append-outcome.lua');
export const FORGET_DUE = lua('./forget-due.lua', import.meta.url);

/** The values of an answer as text. */
export function textsOf(reply: unknown): string[] {
  return (reply as readonly Buffer[]).map(String);
}
