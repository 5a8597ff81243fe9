import type { RpcResponse } from '@msg/core';
import { visible } from '../../parts/text.ts';

/** A delivery that was given up. */
export type Letter = RpcResponse<'DlqList'>['items'][number];
/** Letters whose errors have the same form. */
export type LetterGroup = RpcResponse<'DlqGroups'>['groups'][number];
/** A job that sends letters again. */
export type Job = RpcResponse<'DlqJobs'>['jobs'][number];

/** Whom a letter is for: the form of a recipient is the sink's own. */
export function recipientText({ recipient }: Pick<Letter, 'recipient'>): string {
  if (recipient === null || recipient === undefined) return 'no recipient';
  const [only, ...others] = typeof recipient === 'object' ? Object.values(recipient) : [recipient];
  return visible(typeof only === 'string' && others.length === 0 ? only : JSON.stringify(recipient));
}

/** A job that goes on. */
export function isGoing({ state }: Pick<Job, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'stopping';
}
