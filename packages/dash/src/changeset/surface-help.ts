import { nearest, suggest } from '@msg/foundation/suggest';
import type { Surface } from '../catalog/node-types.ts';
import { isJsonObject, type Json, ownMember } from '../document/json.ts';
import { formatPointer, type Pointer, valueAt } from '../document/pointer.ts';
import { contentOf, idOf, type NodePosition, type NodeTree } from './node-tree.ts';
import { fieldAt, type ResolvedTarget } from './target.ts';

/** Longest stored value that an error repeats, as JSON. */
const LONGEST_STORED = 1_000;

/** How an edit off the surface is corrected: members of the details of PATCH_OFF_SURFACE (review details 7.2). */
export interface SurfaceHelp {
  readonly suggestedPath?: string;
  readonly hint?: string;
  /** The value of a field that is replaced whole. */
  readonly stored?: Json;
}

/** A surface that the author may have meant, and the pointer in front of its keys. */
interface Candidate {
  readonly surface: Surface;
  readonly prefix: Pointer;
  readonly values: Json | undefined;
}

/**
 * What the author of an edit off the surface may have meant: a dotted key, a field without `config`, a member below a
 * field, a misspelt field; on the node itself, or on the content of a wrapper.
 */
export function surfaceHelp(tree: NodeTree, target: ResolvedTarget): SurfaceHelp {
  const keys = keysOf(target);
  if (keys.length === 0) return {};
  const candidates = candidatesOf(tree, target);
  for (const help of [exactly, misspeltPath, fieldAbove, misspelt]) {
    for (const candidate of candidates) {
      const correction = help(candidate, keys);
      if (correction !== undefined) return correction;
    }
  }
  return {};
}

/** The keys of a surface, the nearest to what was written first. */
export function nearestKeys({ surface }: ResolvedTarget, field: string): string[] {
  return nearest(field, [...surface.keys()].sort());
}

/** The author's path in the config or the scope, a dotted key as several segments. */
function keysOf({ rest }: ResolvedTarget): Pointer {
  return (rest[0] === 'config' ? rest.slice(1) : rest)
    .flatMap(segment => segment.split('.'))
    .filter(key => key !== '');
}

function candidatesOf(tree: NodeTree, { kind, id, surface, position }: ResolvedTarget): Candidate[] {
  if (kind === 'scope') return [{ surface, prefix: [id ?? ''], values: undefined }];
  const content = position && tree.positionOf(contentOf(position));
  return [position, content].flatMap(node => (node === undefined ? [] : candidateOf(node)));
}

function candidateOf({ node, type }: NodePosition): Candidate[] {
  const id = idOf(node);
  if (id === undefined || type === undefined) return [];
  return [{ surface: type.surface, prefix: [id, 'config'], values: ownMember(node, 'config') }];
}

function exactly({ surface, prefix }: Candidate, keys: Pointer): SurfaceHelp | undefined {
  if (fieldAt(surface, keys) === undefined) return undefined;
  return { suggestedPath: formatPointer([...prefix, ...keys]) };
}

function fieldAbove({ surface, prefix, values }: Candidate, keys: Pointer): SurfaceHelp | undefined {
  for (let length = keys.length - 1; length > 0; length--) {
    const above = keys.slice(0, length);
    if (fieldAt(surface, above) === undefined) continue;
    const suggestedPath = formatPointer([...prefix, ...above]);
    const hint = `replace ${above.join('.')} whole`;
    const value = isJsonObject(values) ? valueAt(values, above) : undefined;
    const isShort = value !== undefined && JSON.stringify(value).length <= LONGEST_STORED;
    return isShort ? { suggestedPath, hint, stored: value } : { suggestedPath, hint };
  }
  return undefined;
}

/** A nested field: it is nearer than the field above it. */
function misspeltPath({ surface, prefix }: Candidate, keys: Pointer): SurfaceHelp | undefined {
  if (keys.length === 1) return undefined;
  const nested = [...surface].filter(([key]) => key.split('.').length === keys.length);
  return misspelt({ surface: new Map(nested), prefix }, keys);
}

function misspelt(
  { surface, prefix }: Pick<Candidate, 'surface' | 'prefix'>,
  keys: Pointer,
): SurfaceHelp | undefined {
  const key = suggest(keys.join('.'), surface.keys());
  return key === undefined ? undefined : { suggestedPath: formatPointer([...prefix, ...key.split('.')]) };
}
