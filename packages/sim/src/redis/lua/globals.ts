import { NotTranslated } from './failure.ts';
import { BASE } from './library/base.ts';
import { decodeJson, NULL } from './library/json-decode.ts';
import { encodeJson } from './library/json-encode.ts';
import { MATH } from './library/math-functions.ts';
import { unpackMessage } from './library/msgpack-decode.ts';
import { packMessage } from './library/msgpack-encode.ts';
import { REDIS } from './library/redis-functions.ts';
import { STRING } from './library/string-functions.ts';
import { TABLE } from './library/table-functions.ts';
import { methods } from './operators.ts';
import type { Value } from './value.ts';
import { LuaTable } from './value.ts';

/** Globals of the real server that are not provided: a script that names one is refused. */
const REFUSED_GLOBALS: ReadonlySet<string> = new Set(
  (
    '_G _VERSION __redis__err__handler bit collectgarbage coroutine gcinfo getfenv getmetatable load loadstring newproxy ' +
    'rawset setfenv setmetatable struct'
  ).split(' '),
);

/** Members of provided tables that are not provided themselves. */
const REFUSED_MEMBERS: Readonly<Record<string, string>> = {
  cjson:
    '_NAME _VERSION decode_invalid_numbers decode_max_depth encode_invalid_numbers encode_keep_buffer encode_max_depth ' +
    'encode_number_precision encode_sparse_array new',
  cmsgpack: '_COPYRIGHT _DESCRIPTION _NAME _VERSION unpack_limit unpack_one',
  redis:
    'REDIS_VERSION REDIS_VERSION_NUM REPL_ALL REPL_AOF REPL_NONE REPL_REPLICA REPL_SLAVE acl_check_cmd breakpoint debug ' +
    'replicate_commands set_repl setresp',
  string: 'dump gfind',
  table: 'setn',
};

function libraryTable(name: string, members: Readonly<Record<string, Value>>): LuaTable {
  const table = name === 'string' ? methods : new LuaTable();
  for (const [member, value] of Object.entries(members)) table.set(member, value);
  for (const member of (REFUSED_MEMBERS[name] ?? '').split(' '))
    table.set(member, () => {
      throw new NotTranslated(`${name}.${member}`);
    });
  table.readonly = true;
  return table;
}

/** All globals but KEYS and ARGV. */
export const GLOBALS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...Object.entries(BASE),
  [
    'cjson',
    libraryTable('cjson', {
      encode: (...values) => encodeJson(values),
      decode: (...values) => decodeJson(values),
      null: NULL,
    }),
  ],
  [
    'cmsgpack',
    libraryTable('cmsgpack', {
      pack: (...values) => packMessage(values),
      unpack: (...values) => unpackMessage(values),
    }),
  ],
  ['math', libraryTable('math', MATH)],
  ['redis', libraryTable('redis', REDIS)],
  ['string', libraryTable('string', STRING)],
  ['table', libraryTable('table', TABLE)],
]);

/** Whether the translator provides a global. */
export function isSupplied(name: string): boolean {
  return GLOBALS.has(name);
}

/** Whether the real server has a global that is not provided. */
export function refusedGlobal(name: string): boolean {
  return REFUSED_GLOBALS.has(name);
}

/** Whether the real server has a member, as `cjson.new`, that is not provided. */
export function refusedMember(path: string): boolean {
  const [table, member] = path.split('.') as [string, string];
  return (REFUSED_MEMBERS[table] ?? '').split(' ').includes(member);
}
