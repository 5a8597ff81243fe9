import type { AppendCommand, AppendFormat, AppendState } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import type { SchemaValidator } from '../schemas/validation.ts';

type Parts = Pick<AppendCommand, 'message' | 'run' | 'input'> & { readonly format: AppendFormat };

/**
 * Checks what a request adds against the schema of its channel: the document with its text empty, or with only the new
 * item. Source: append streams 10.3.
 * @throws MsgError MSG_INVALID_ARGUMENT with the JSON path, in strict mode
 */
export function checkAppend(
  schemas: Pick<SchemaValidator, 'check'>,
  channel: string,
  command: AppendCommand,
  state: AppendState | null,
): void {
  const { message, run, input, format = 'text' } = { ...command, ...stateParts(state) };
  const parts: Parts = { message, format, ...defined({ run: run || undefined, input: input || undefined }) };
  let meta = parsed(state?.meta ?? null);
  let isChecked = state !== null;
  const check = (item?: unknown): void => {
    const items = item === undefined ? [] : [item];
    schemas.check(channel, Buffer.from(JSON.stringify(documentOf(parts, meta, items))));
    isChecked = true;
  };
  for (const op of command.ops) {
    if ('meta' in op) {
      meta = parsed(op.meta);
      check();
    } else if ('item' in op) check(itemOf(op.item, op.open));
  }
  if (!isChecked) check();
}

function stateParts(state: AppendState | null): Partial<Parts> {
  return state === null ? {} : { run: state.run, input: state.input, format: state.format };
}

function documentOf(
  { message, run, input, format }: Parts,
  meta: unknown,
  items: readonly unknown[],
): object {
  const grows = format === 'text' ? { text: '' } : { items };
  const head = { id: message, status: 'streaming', run, input };
  return meta === undefined ? { ...head, ...grows } : { ...head, meta, ...grows };
}

/** The value, and its open member as a string. */
function itemOf(bytes: Uint8Array, open = ''): unknown {
  const value = parsed(bytes);
  return open === '' || typeof value !== 'object' ? value : { ...value, [open]: '' };
}

/** The value of JSON bytes; anything else is refused by the engine. */
function parsed(bytes: Uint8Array | null): unknown {
  if (bytes === null) return undefined;
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
