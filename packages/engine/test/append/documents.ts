import type { AppendFormat, AppendOp } from '@msg/engine';
import { AppendDocument } from '#src/append/document.ts';
import type { DocumentState } from '#src/append/document-state.ts';
import { growthOf } from '#src/append/growth.ts';
import { prepareAppend } from '#src/append/prepare.ts';

const FIELDS = { id: 'm1', status: 'streaming', reason: '', run: '', input: '', meta: null } as const;

export function start(format: AppendFormat, fields: object = {}): AppendDocument {
  return new AppendDocument({ ...FIELDS, format, ...fields });
}

export function grow(document: AppendDocument, ...ops: AppendOp[]): DocumentState {
  const prepared = prepareAppend({ message: 'm1', producer: 'p', seq: 1, ops }).ops;
  return document.grow(growthOf(prepared, 0, document.tail, document.bodyLength));
}

export const text = (state: DocumentState): string => Buffer.from(state.toBytes()).toString();
export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
