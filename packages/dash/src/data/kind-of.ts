import type { ResolvedConnection } from '../resolve/tree.ts';
import type { DataSourceKind } from './source.ts';

/** True when a kind runs the queries of connections of this type and version. */
export function isRunBy(
  { type, since }: DataSourceKind,
  { name, version }: ResolvedConnection['type'],
): boolean {
  return type === name && (since === undefined || !isBefore(version, since));
}

function isBefore(left: string, right: string): boolean {
  const [a, b] = [left, right].map(text => text.split('.').map(Number));
  for (const [index, part] of (b ?? []).entries()) {
    const number = a?.[index] ?? 0;
    if (number !== part) return number < part;
  }
  return false;
}
