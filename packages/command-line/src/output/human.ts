import { isRecord } from '@msg/foundation/json';
import { padText, safeText, textWidth, wrapText } from './safe-text.ts';
import type { Style } from './style.ts';
import { type Column, tableLines } from './table.ts';
import { relativeTime, timeOf } from './time.ts';

/** How a result is shown to a person. */
export interface HumanForm {
  /** Columns of the terminal. */
  readonly width: number;
  /** Nothing is cut, and times are absolute. */
  readonly wide: boolean;
  readonly style: Style;
  /** Unix milliseconds. */
  readonly now: number;
  /** What stands for a list without entries, by the member that holds it. */
  readonly empty?: Readonly<Record<string, string>>;
}

type Members = Readonly<Record<string, unknown>>;

const NOTHING = '-';
const INDENT = '  ';
/** Tokens, keys, ids and names: what people copy. They are never cut. */
const COPIED = /(?:^|_)(?:id|kid|jti|uid|key|token|secret|code|name|channel)$/;

/** A value on one line. */
function cellText(name: string, value: unknown, { wide, now }: HumanForm): string {
  const time = timeOf(name, value);
  if (time !== undefined) return wide ? new Date(time).toISOString() : relativeTime(time, now);
  if (value === null || value === undefined || value === '') return NOTHING;
  if (Array.isArray(value) && value.every(item => typeof item !== 'object'))
    return value.length === 0 ? NOTHING : safeText(value.join(', '));
  return safeText(typeof value === 'string' ? value : JSON.stringify(value));
}

function isRecordList(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord);
}

/** Records by name that all have the same members, such as settings. */
function isRecordMap(value: unknown): value is Readonly<Record<string, Members>> {
  if (!isRecord(value)) return false;
  const items = Object.values(value);
  if (items.length < 2 || !items.every(isRecord)) return false;
  const shape = Object.keys(items[0] ?? {}).join();
  return shape !== '' && items.every(item => Object.keys(item).join() === shape);
}

/** A value that takes lines of its own below its name. */
function isBlock(value: unknown): boolean {
  return isRecordList(value) || (isRecord(value) && Object.keys(value).length > 0);
}

function labelledLines(entries: readonly (readonly [string, unknown])[], form: HumanForm): string[] {
  const labelWidth = Math.max(0, ...entries.map(([name]) => textWidth(safeText(name))));
  const room = Math.max(1, form.width - labelWidth - INDENT.length);
  const hanging = `\n${' '.repeat(labelWidth)}${INDENT}`;
  return entries.flatMap(([name, value]) => {
    const text = cellText(name, value, form);
    const lines = form.wide || COPIED.test(name) ? [text] : wrapText(text, room);
    return `${form.style.label(padText(safeText(name), labelWidth))}${INDENT}${lines.join(hanging)}`.split(
      '\n',
    );
  });
}

/** Records as a table, or one below the other where there is no room for one. */
function recordLines(records: readonly Members[], form: HumanForm): string[] {
  const names = [...new Set(records.flatMap(record => Object.keys(record)))];
  const columns = names.map(
    (name): Column => ({
      name: safeText(name),
      cells: records.map(record => cellText(name, record[name], form)),
      isCuttable: !COPIED.test(name),
    }),
  );
  const width = form.wide ? Number.POSITIVE_INFINITY : form.width;
  return (
    tableLines(columns, width, form.style) ??
    records.flatMap((record, at) => [...(at === 0 ? [] : ['']), ...memberLines(record, form)])
  );
}

function blockLines(value: unknown, form: HumanForm): string[] {
  if (isRecordList(value)) return recordLines(value, form);
  if (isRecordMap(value))
    return recordLines(
      Object.entries(value).map(([name, members]) => ({ name, ...members })),
      form,
    );
  return memberLines(value as Members, form); // the only other block
}

function memberLines(members: Members, form: HumanForm): string[] {
  const entries = Object.entries(members);
  const blocks = entries.filter(([, value]) => isBlock(value));
  const lines = labelledLines(
    entries.filter(([, value]) => !isBlock(value)),
    form,
  );
  const inner = { ...form, width: form.width - INDENT.length };
  return [
    ...lines,
    ...blocks.flatMap(([name, value]) => [
      form.style.heading(safeText(name)),
      ...blockLines(value, inner).map(line => (line === '' ? '' : INDENT + line)),
    ]),
  ];
}

/**
 * A result as a person reads it: a list of records as a table, everything else as labelled lines. Every member is there;
 * a table cuts cells that are not copied where the width demands it.
 */
export function humanText(payload: object, form: HumanForm): string {
  const entries = Object.entries(payload);
  const [only] = entries;
  const [name, value] = entries.length === 1 && only !== undefined ? only : ['', undefined];
  if (Array.isArray(value) && value.length === 0) {
    const sentence = form.empty?.[name] ?? `no ${safeText(name)}`;
    return `${wrapText(sentence, form.wide ? Number.POSITIVE_INFINITY : form.width).join('\n')}\n`;
  }
  if (entries.length === 0) return 'done\n';
  const lines = isBlock(value) ? blockLines(value, form) : memberLines(withEmptyTexts(payload, form), form);
  return `${lines.join('\n')}\n`;
}

/** A list without entries beside other members says so in its place. */
function withEmptyTexts(payload: object, { empty = {} }: HumanForm): Members {
  return Object.fromEntries(
    Object.entries(payload).map(([name, value]) => [
      name,
      Array.isArray(value) && value.length === 0 ? (empty[name] ?? []) : value,
    ]),
  );
}
