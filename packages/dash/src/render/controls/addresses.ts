import type { ErrorEnvelope } from '../../errors.ts';
import type { ResolvedNode, ResolvedTree } from '../../resolve/tree.ts';
import { textMember } from '../context.ts';

/** The faults of settings that no control of the document shows. */
export function faultsWithoutControl(
  { root }: ResolvedTree,
  faults: ReadonlyMap<string, ErrorEnvelope>,
): [address: string, fault: ErrorEnvelope][] {
  if (faults.size === 0) return [];
  const addresses = new Set(addressesIn(root));
  return [...faults].filter(([address]) => !addresses.has(address));
}

function* addressesIn(node: ResolvedNode): Generator<string> {
  if (node.role === 'widget') yield textMember(node.config, 'variable') ?? '';
  for (const { target, field } of node.generated?.widgets ?? []) yield `${target}.${field}`;
  for (const child of node.children ?? []) yield* addressesIn(child);
}
