import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bytes } from '../redis/reply.ts';
import { APPEND_SCRIPTS } from './append-script-rows.ts';
import type { Draw } from './draw.ts';
import { LETTER_SCRIPTS } from './letter-script-rows.ts';
import { type ScriptRow, SERVICE_SCRIPTS } from './script-rows.ts';
import type { Call } from './sequence.ts';
import { singleCommand } from './single-commands.ts';

const PACKAGES = join(import.meta.dirname, '../../..');

/** Every script of the repository. */
export const SCRIPTS: readonly ScriptRow[] = [...SERVICE_SCRIPTS, ...LETTER_SCRIPTS, ...APPEND_SCRIPTS];

/** Scripts of a sequence belong together, so that one reads what another wrote. */
const FAMILIES: readonly (readonly ScriptRow[])[] = [
  SERVICE_SCRIPTS,
  LETTER_SCRIPTS,
  APPEND_SCRIPTS,
  APPEND_SCRIPTS,
];
const FEW = 5;

const sources = new Map<ScriptRow, Bytes>();

function sourceOf(row: ScriptRow): Bytes {
  const present = sources.get(row);
  if (present !== undefined) return present;
  const source = row.files.map(file => readFileSync(join(PACKAGES, file), 'latin1')).join('');
  sources.set(row, source);
  return source;
}

/** Calls of a few scripts over shared keys, with single commands in between. */
export function drawScripts(draw: Draw): readonly Call[] {
  const family = draw.pick(FAMILIES);
  const rows = draw.stream.chance(50) ? family : draw.several(2, FEW, () => draw.pick(family));
  const loaded = new Set<ScriptRow>();
  return draw.several(15, 30, () => {
    if (draw.stream.chance(15)) return asCall(singleCommand(draw));
    const row = draw.pick(rows);
    const isLoaded = loaded.has(row);
    loaded.add(row);
    return { name: row.name, args: scriptCall(row, isLoaded, draw) };
  });
}

function asCall(args: readonly Bytes[]): Call {
  return { name: (args[0] ?? '').toLowerCase(), args };
}

function scriptCall(row: ScriptRow, isLoaded: boolean, draw: Draw): readonly Bytes[] {
  const source = sourceOf(row);
  const keys = row.keys(draw);
  const args = row.args(draw).map((text, at) => {
    const isReplaced = draw.isHostile && draw.stream.chance(30) && row.fixed?.includes(at) !== true;
    return isReplaced ? draw.text() : text;
  });
  const used = draw.isHostile && draw.stream.chance(20) ? args.slice(0, -1) : args;
  const named = isLoaded
    ? ['EVALSHA', createHash('sha1').update(source, 'latin1').digest('hex')]
    : ['EVAL', source];
  return [...named, String(keys.length), ...keys, ...used];
}
