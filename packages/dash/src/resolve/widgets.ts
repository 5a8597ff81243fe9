import { isJsonObject, ownMember } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { type WorkedNode, withDescendants } from './context.ts';
import { Faults } from './faults.ts';
import { configInvalid } from './nodes.ts';
import { undefinedVariable } from './variables.ts';

/** Stage 9: what widgets set (dashboard details 5.4). @throws DashError VAR_UNDEFINED, WIDGET_*, RESOLVE_CONFIG_INVALID. */
export function checkWidgets(root: WorkedNode): void {
  const faults = new Faults();
  for (const worked of withDescendants(root)) {
    if (worked.resolved.role === 'widget') faults.attempt(() => checkWidget(worked));
  }
  faults.settle();
}

function checkWidget(worked: WorkedNode): void {
  const { linked, resolved, scope } = worked;
  const name = ownMember(resolved.config ?? {}, 'variable');
  const variable = typeof name === 'string' ? scope.get(name) : undefined;
  if (variable === undefined)
    throw undefinedVariable(String(name ?? ''), 'widget', scope, linked.path, resolved.id);
  const { binds = [] } = linked.type.behavior;
  const at = { path: linked.path, nodeId: resolved.id, variable: variable.name, widget: linked.type.name };
  if (!binds.includes(variable.type)) {
    const message = `A ${at.widget} sets ${binds.join(' or ')}; "${variable.name}" is of type ${variable.type}.`;
    throw new DashError('WIDGET_TYPE_MISMATCH', message, { ...at, varType: variable.type });
  }
  if (variable.expr !== undefined) {
    throw new DashError('WIDGET_VARIABLE_COMPUTED', `"${variable.name}" is computed and cannot be set.`, at);
  }
  if (linked.type.behavior.rangeCheck === true) checkRange(worked);
  checkOptions(worked, variable.type === 'enum' ? variable.options : undefined, at);
}

function checkRange({ linked, resolved }: WorkedNode): void {
  const { min, max, step } = resolved.config ?? {};
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    throw configInvalid(linked, `min of "${resolved.id}" is above its max.`, { field: 'min' });
  }
  if (typeof step === 'number' && step <= 0) {
    throw configInvalid(linked, `step of "${resolved.id}" must be above 0.`, { field: 'step' });
  }
}

function checkOptions(
  { linked, resolved }: WorkedNode,
  allowed: readonly string[] | undefined,
  at: object,
): void {
  const options = ownMember(resolved.config ?? {}, 'options');
  const listed = Array.isArray(options) ? options : [];
  if (linked.type.behavior.requireOptions === true && listed.length === 0) {
    throw configInvalid(linked, `"${resolved.id}" needs options.`, { field: 'options' });
  }
  if (allowed === undefined) return;
  for (const option of listed) {
    const value = isJsonObject(option) ? ownMember(option, 'value') : option;
    if (allowed.includes(value as string)) continue;
    throw new DashError('WIDGET_OPTION_INVALID', `An option of "${resolved.id}" is none of its variable.`, {
      ...at,
      value,
    });
  }
}
