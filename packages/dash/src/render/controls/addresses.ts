import type { ErrorEnvelope } from '../../errors.ts';
import type { ResolvedNode, ResolvedTree } from '../../resolve/tree.ts';
import { textMember } from '../context.ts';

/** Id of the form of the controls of a page, wherever they stand. */
export const SETTINGS_FORM = 'settings';

/** The errors of settings that no control of the document shows. */
export function errorsWithoutControl(
  { root }: ResolvedTree,
  errors: ReadonlyMap<string, ErrorEnvelope>,
): [address: string, error: ErrorEnvelope][] {
  if (errors.size === 0) return [];
  const addresses = new Set([...controlsIn(root)].map(({ address }) => address));
  return [...errors].filter(([address]) => !addresses.has(address));
}

/**
 * Forms of the controls that repeat the address of another one, by control id: the second of an address belongs to
 * `settings-2`, the third to `settings-3`. In one form the last of them would win, whichever a person has changed.
 */
export function repeatedControls(root: ResolvedNode): ReadonlyMap<string, string> {
  const forms = new Map<string, string>();
  for (const { id, count } of counted(root)) if (count > 1) forms.set(id, `${SETTINGS_FORM}-${count}`);
  return forms;
}

/** Those forms, each with the addresses that its controls set. */
export function repeatedForms(root: ResolvedNode): ReadonlyMap<string, ReadonlySet<string>> {
  const forms = new Map<string, Set<string>>();
  for (const { address, count } of counted(root)) {
    if (count === 1) continue;
    const form = `${SETTINGS_FORM}-${count}`;
    forms.set(form, (forms.get(form) ?? new Set()).add(address));
  }
  return forms;
}

/** Each control with how many of its address there are up to it. */
function* counted(root: ResolvedNode): Generator<{ id: string; address: string; count: number }> {
  const counts = new Map<string, number>();
  for (const { id, address } of controlsIn(root)) {
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    yield { id, address, count };
  }
}

function* controlsIn(node: ResolvedNode): Generator<{ id: string; address: string }> {
  if (node.role === 'widget')
    yield { id: widgetId(node.id), address: textMember(node.config, 'variable') ?? '' };
  for (const [index, { target, field }] of (node.generated?.widgets ?? []).entries())
    yield { id: generatedId(node.id, index), address: `${target}.${field}` };
  for (const child of node.children ?? []) yield* controlsIn(child);
}

/** Id of the control of a widget. */
export const widgetId = (nodeId: string): string => `w-${nodeId}`;

/** Id of a control of a configurator. */
export const generatedId = (nodeId: string, index: number): string => `c-${nodeId}-${index}`;
