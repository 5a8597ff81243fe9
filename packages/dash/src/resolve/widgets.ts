import { displayValue } from '../document/display.ts';
import { isJsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import { type ResolvedItem, withDescendants } from './context.ts';
import { ErrorCollector } from './error-collector.ts';
import { configInvalid } from './nodes.ts';
import { undefinedVariable } from './variable-errors.ts';

/** Stage 9: what widgets set (dashboard details 5.4). @throws DashError VAR_UNDEFINED, WIDGET_*, RESOLVE_CONFIG_INVALID. */
export function checkWidgets(root: ResolvedItem): void {
  const errors = new ErrorCollector();
  const allowed = new AllowedOptions();
  for (const item of withDescendants(root)) {
    if (item.resolved.role === 'widget') errors.check(() => checkWidget(item, allowed));
  }
  errors.throwIfAny();
}

/** Options by their list, which many widgets may share, with a constant-time lookup. */
class AllowedOptions {
  readonly #sets = new Map<readonly string[], ReadonlySet<string>>();

  of(options: readonly string[]): ReadonlySet<string> {
    const set = this.#sets.get(options) ?? new Set(options);
    this.#sets.set(options, set);
    return set;
  }
}

function checkWidget(item: ResolvedItem, allowed: AllowedOptions): void {
  const { linked, resolved, scope } = item;
  const name = ownMember(resolved.config ?? {}, 'variable');
  const variable = typeof name === 'string' ? scope.get(name) : undefined;
  if (variable === undefined)
    throw undefinedVariable(String(name ?? ''), 'widget', scope, { path: linked.path, nodeId: resolved.id });
  const { binds = [] } = linked.type.behavior;
  const at = { path: linked.path, nodeId: resolved.id, variable: variable.name, widget: linked.type.name };
  if (!binds.includes(variable.type)) {
    const message = `Variable "${variable.name}" of ${at.widget} "${resolved.id}" must be of type ${binds.join(' or ')}; got ${variable.type}.`;
    throw new DashError('WIDGET_TYPE_MISMATCH', message, { ...at, varType: variable.type });
  }
  if (variable.expr !== undefined) {
    throw new DashError(
      'WIDGET_VARIABLE_COMPUTED',
      `Setting on variable "${variable.name}" is not allowed: it is computed.`,
      at,
    );
  }
  if (linked.type.behavior.rangeCheck === true) checkRange(item);
  const { options } = variable;
  checkOptions(item, variable.type === 'enum' && options !== undefined ? allowed.of(options) : undefined, at);
}

function checkRange({ linked, resolved }: ResolvedItem): void {
  const { min, max, step } = resolved.config ?? {};
  if (typeof min === 'number' && typeof max === 'number' && min > max) {
    throw configInvalid(
      linked,
      `Node "${resolved.id}": config.min must be at most max (${max}); got ${min}.`,
      { field: 'min' },
    );
  }
  if (typeof step === 'number' && step <= 0) {
    throw configInvalid(linked, `Node "${resolved.id}": config.step must be above 0; got ${step}.`, {
      field: 'step',
    });
  }
}

function checkOptions(
  { linked, resolved }: ResolvedItem,
  allowed: ReadonlySet<string> | undefined,
  at: object,
): void {
  const options = ownMember(resolved.config ?? {}, 'options');
  const listed = Array.isArray(options) ? options : [];
  if (linked.type.behavior.requireOptions === true && listed.length === 0) {
    throw configInvalid(linked, `Options of node "${resolved.id}" are required.`, { field: 'options' });
  }
  if (allowed === undefined) return;
  for (const option of listed) {
    const value = isJsonObject(option) ? ownMember(option, 'value') : option;
    if (allowed.has(value as string)) continue;
    throw new DashError(
      'WIDGET_OPTION_INVALID',
      `Widget "${resolved.id}": every option must be a value of its variable; got ${displayValue(value)}.`,
      {
        ...at,
        value,
      },
    );
  }
}
