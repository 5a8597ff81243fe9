import type { MaybePromise } from '@msg/foundation/promises';
import type { PublishCaller } from '../publishing/publication.ts';
import type { Members } from './members.ts';
import type { RequestRights } from './rights.ts';

/** One request: the caller and its rights. */
export interface ApiCall {
  readonly caller: PublishCaller;
  readonly rights: RequestRights;
  /** Id of the HTTP request. */
  readonly requestId: string;
}

/**
 * Executes a command and returns the JSON text of its result, with payloads byte for byte. Throws, or rejects with,
 * ApiError and MsgError.
 */
export type ApiCommand = (members: Members, call: ApiCall) => MaybePromise<string>;

/** The result of a command without result members. */
export const NOTHING = '{}';

/** `,"name":"text"` of a member that is not empty. */
export function textMember(name: string, text: string): string {
  return text === '' ? '' : `,"${name}":${JSON.stringify(text)}`;
}
