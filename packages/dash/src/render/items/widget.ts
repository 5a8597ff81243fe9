import type { Json } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import { textMember } from '../context.ts';
import { SETTINGS_FORM, widgetId } from '../controls/addresses.ts';
import { controlName, field } from '../controls/index.ts';
import { frame } from '../frame.ts';
import { type LeafRenderer, memberOf } from './leaf.ts';

/**
 * A control of a variable: the one that the item type is named after, for types of a schema directory the one for the
 * type of the variable. `default` is only shown while the variable has no value (dashboard details 5.4).
 */
export const widgetItem: LeafRenderer = (node, context) => {
  const name = textMember(node.config, 'variable') ?? '';
  const variable = Object.hasOwn(context.variables, name) ? context.variables[name] : undefined;
  const control = {
    id: widgetId(node.id),
    address: context.isStill === true ? widgetId(node.id) : name,
    label: textMember(node.config, 'label') ?? name,
    description: textMember(node.config, 'description'),
    disabled: memberOf(node, 'disabled') === true,
    value: variable?.value ?? shownDefault(node),
    config: node.config ?? {},
    error: context.errors.get(name),
    pointer: undefined,
    type: variable?.type,
    form: context.forms.get(widgetId(node.id)) ?? SETTINGS_FORM,
  };
  return frame(node, context, { body: field(controlName(node.type.name, variable?.type), control) });
};

const shownDefault = (node: ResolvedNode): Json => memberOf(node, 'default') ?? null;
