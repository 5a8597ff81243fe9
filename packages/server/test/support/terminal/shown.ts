import { safeText } from '@msg/command-line/internal';

type Members = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecordList = (value: unknown): value is readonly Members[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** What is never cut (app-developers 9): tokens, keys, ids and names. */
const COPIED = /(?:^|_)(?:id|kid|jti|uid|key|token|secret|code|name|channel)$/;

/** Single values of a payload, with the name of their member. Those of a list have that of the list. */
function leavesOf(value: unknown, name = ''): [name: string, value: unknown][] {
  if (typeof value !== 'object' || value === null) return [[name, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, Array.isArray(value) ? name : key));
}

/** Records by name that all have the same members, which are a table. */
function recordsByName(value: Members): readonly Members[] {
  const records = Object.values(value).filter(isRecord);
  const shapes = new Set(records.map(record => Object.keys(record).join()));
  return records.length > 1 && records.length === Object.keys(value).length && shapes.size === 1
    ? records
    : [];
}

/**
 * Names of the members that have a label or a column of their own. A payload of a single member is shown without the name
 * of that member.
 */
function labelsOf(payload: Members, isWhole = false): string[] {
  const [only] = Object.values(payload);
  if (isWhole && Object.keys(payload).length === 1 && isRecord(only)) return labelsOf(only);
  const rows = recordsByName(payload);
  if (rows.length > 0) return rows.flatMap(row => Object.keys(row));
  return Object.entries(payload).flatMap(([name, value]) => {
    if (isRecordList(value)) return value.flatMap(record => Object.keys(record));
    if (isRecord(value)) return [name, ...labelsOf(value)];
    return [name];
  });
}

const compact = (text: string): string => text.replaceAll(/\s+/g, '');

/** A text without what JSON adds inside of a cell. */
const plain = (text: string): string => compact(text.replaceAll('\\"', '"').replaceAll('\\\\', '\\'));

function textOf([name, value]: readonly [string, unknown]): string {
  if (value === null || value === '') return '';
  if (typeof value === 'number' && value > 0 && name.endsWith('_unix'))
    return new Date(value * 1000).toISOString();
  const text = String(value);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? new Date(text).toISOString() : safeText(text);
}

/** Members and values that the wide form lacks, where nothing is cut. */
export function missingInWideForm(text: string, payload: Members, varying: readonly string[]): string[] {
  const shown = plain(text);
  const names = leavesOf(payload).map(([name]) => name);
  const list = Object.keys(payload).length === 1 && Array.isArray(Object.values(payload)[0]);
  const values = leavesOf(payload).filter(([name]) => !varying.includes(name));
  return [
    ...(list ? labelsOf(payload, true) : names).filter(name => !shown.includes(compact(safeText(name)))),
    ...values.map(textOf).filter(value => !shown.includes(plain(value))),
  ];
}

/** Members that a terminal of some width lacks, and copied values that are not whole on it. */
export function missingOnTerminal(text: string, payload: Members, varying: readonly string[]): string[] {
  const shown = compact(text);
  const copied = leavesOf(payload).filter(([name, value]) => COPIED.test(name) && typeof value === 'string');
  return [
    ...labelsOf(payload, true).filter(name => !shown.includes(compact(safeText(name)))),
    ...copied
      .filter(([name]) => !varying.includes(name))
      .map(textOf)
      .filter(value => !shown.includes(compact(value))),
  ];
}

/** Lines that are wider than the terminal although no word of them must stay whole. */
export function tooWide(text: string, columns: number): string[] {
  const longest = (line: string): number => Math.max(...line.split(/\s+/).map(word => word.length));
  return text.split('\n').filter(line => line.length > columns && longest(line) < columns / 2);
}
