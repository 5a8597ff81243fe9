import { type Bytes, Failure, type Reply, Status } from '../reply.ts';
import { NotTranslated } from './failure.ts';
import { castInteger, cString } from './library/arguments.ts';
import { argumentText, specialText } from './numbers.ts';
import type { Value } from './value.ts';
import { LuaTable } from './value.ts';

const MAX_DEPTH = 1000;

/** A table with one field. */
export function singleField(field: string, value: Value): LuaTable {
  const table = new LuaTable();
  table.set(field, value);
  return table;
}

/**
 * The table of an error (luaPushErrorBuff). Behind a `-` the first word is its code; `ERR` is the code where there is
 * no code.
 */
export function errorTable(text: string): LuaTable {
  const whole = cString(text);
  const blank = whole.indexOf(' ');
  const isCoded = whole.startsWith('-') && blank !== -1;
  const code = isCoded ? whole.slice(1, blank) : 'ERR';
  const message = isCoded ? whole.slice(blank + 1) : whole.startsWith('-') ? whole.slice(1) : whole;
  return singleField('err', `${code} ${withoutLineEnds(message)}`);
}

/** What a command answered, as a value of the script. */
export function replyValue(reply: Reply): Value {
  if (reply === null) return false;
  if (typeof reply !== 'object') return reply;
  if (reply instanceof Status) return singleField('ok', reply.text);
  if (reply instanceof Failure) {
    const table = errorTable(`-${reply.text}`);
    table.set('ignore_error_stats_update', true);
    return table;
  }
  const table = new LuaTable();
  for (const [index, element] of (reply as readonly Reply[]).entries())
    table.set(index + 1, replyValue(element));
  return table;
}

/** What a script returns, as the answer to its caller (luaReplyToRedisReply), for RESP 2. */
export function valueReply(value: Value, depth = 0): Reply {
  switch (typeof value) {
    case 'string':
      return value;
    case 'boolean':
      return value ? 1 : null;
    case 'number':
      return castInteger(value);
    default:
      if (depth > MAX_DEPTH) throw new NotTranslated('an answer with more than 1000 levels');
      return value instanceof LuaTable ? tableReply(value, depth + 1) : null;
  }
}

function tableReply(table: LuaTable, depth: number): Reply {
  const failure = table.get('err');
  if (typeof failure === 'string') return new Failure(oneLine(withoutLineEnds(cString(failure))));
  const status = table.get('ok');
  if (typeof status === 'string') return new Status(oneLine(cString(status)));
  const double = table.get('double');
  if (typeof double === 'number') return doubleText(double);
  const bigNumber = table.get('big_number');
  if (typeof bigNumber === 'string') return oneLine(bigNumber);
  const verbatim = verbatimText(table.get('verbatim_string'));
  if (verbatim !== undefined) return verbatim;
  const map = table.get('map');
  if (map instanceof LuaTable) return entriesReply(map, true, depth);
  const set = table.get('set');
  if (set instanceof LuaTable) return entriesReply(set, false, depth);
  return listReply(table, depth);
}

/** Elements up to the first nil. */
function listReply(table: LuaTable, depth: number): Reply {
  const list: Reply[] = [];
  for (let index = 1; ; index++) {
    const value = table.get(index);
    if (value === undefined) return list;
    list.push(valueReply(value, depth));
  }
}

function entriesReply(table: LuaTable, hasValues: boolean, depth: number): Reply {
  const list: Reply[] = [];
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0])) {
    list.push(valueReply(entry[0], depth));
    if (hasValues) list.push(valueReply(entry[1], depth));
  }
  return list;
}

function doubleText(number: number): Bytes {
  return specialText(number) ?? argumentText(number);
}

function verbatimText(value: Value): Bytes | undefined {
  if (!(value instanceof LuaTable) || typeof value.get('format') !== 'string') return undefined;
  const text = value.get('string');
  return typeof text === 'string' ? text : undefined;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, ' ');
}

/** Without line ends at both ends (sdstrim). */
function withoutLineEnds(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && '\r\n'.includes(text[start] as string)) start++;
  while (end > start && '\r\n'.includes(text[end - 1] as string)) end--;
  return text.slice(start, end);
}
