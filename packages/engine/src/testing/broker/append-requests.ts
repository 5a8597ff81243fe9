import assert from 'node:assert/strict';
import type {
  AppendCommand,
  AppendOp,
  AppendResult,
  AppendState,
  AppendStore,
} from '../../append/contract.ts';
import { prepareAppend } from '../../append/prepare.ts';
import { AppendRefused } from '../../append/refusal.ts';
import type { BrokerSubject } from './subject.ts';
import { RETAINED } from './subject.ts';

/** Append streams as the cases use them. */
export const APPENDING = { ...RETAINED, append: { maxBytes: 8192, orphanMs: 5000 } };

export function storeOf({ broker }: BrokerSubject): AppendStore {
  assert.ok(broker.appends !== undefined, 'the broker has no append streams');
  return broker.appends;
}

/** Appends to message `m` of channel `c` as producer `p`, unless the request says otherwise. */
export async function append(
  subject: BrokerSubject,
  seq: number,
  ops: readonly (AppendOp | string)[],
  request: Partial<AppendCommand> & { readonly channel?: string; readonly stream?: typeof APPENDING } = {},
): Promise<AppendResult> {
  const { channel = 'c', stream = APPENDING, ...rest } = request;
  const operations = ops.map(op => (typeof op === 'string' ? { text: op } : op));
  const command = { message: 'm', producer: 'p', seq, ops: operations, ...rest };
  return storeOf(subject).append(channel, prepareAppend(command), stream);
}

/** What a refused request says. */
export async function refusalOf(
  request: Promise<unknown>,
): Promise<[string, Readonly<Record<string, string>>]> {
  try {
    await request;
  } catch (error) {
    if (error instanceof AppendRefused) return [error.kind, error.meta];
    throw error;
  }
  throw new Error('the request was not refused');
}

export async function stateOf(
  subject: BrokerSubject,
  message: string | null = null,
): Promise<AppendState | null> {
  return storeOf(subject).state('c', message);
}

/** The document of a state, parsed. */
export function documentOf(state: AppendState | null): Record<string, unknown> {
  assert.ok(state !== null && state.document !== null, 'there is no document');
  return JSON.parse(new TextDecoder().decode(state.document.bytes));
}

/** The text of the newest state of the channel. */
export async function textOf(subject: BrokerSubject): Promise<unknown> {
  return documentOf(await stateOf(subject))['text'];
}
