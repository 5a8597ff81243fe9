import { isJsonObject, type Json, type JsonObject, setMember } from '../document/json.ts';
import { textOf } from '../expression/text.ts';
import { computedHelp } from './computed-help.ts';
import type { InterpolatedText } from './context.ts';
import type { Scope } from './tree.ts';
import { undefinedVariable } from './variable-errors.ts';
import { isVariableName } from './variables.ts';

/** The context of an interpolation. */
export interface Interpolation {
  readonly scope: Scope;
  readonly built: InterpolatedText;
  readonly path: string;
  readonly nodeId: string;
}

/**
 * A copy of a config with its variables replaced (dashboard details 6.3).
 * @param skipped a member that stays unchanged: a wrapper's content
 * @throws DashError VAR_UNDEFINED, RESOLVE_DOCUMENT_INVALID above the limit of added values
 */
export function interpolateConfig(
  config: JsonObject,
  at: Interpolation,
  skipped: string | undefined,
): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(config)) {
    if (key !== skipped) setMember(result, key, interpolate(value, at));
  }
  return result;
}

function interpolate(value: Json, at: Interpolation): Json {
  if (typeof value === 'string') return interpolateText(value, at);
  if (Array.isArray(value)) return value.map(item => interpolate(item, at));
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === '$var' && typeof value['$var'] === 'string') {
    const variable = valueOfVariable(value['$var'], '$var', at);
    at.built.add(variable);
    return variable;
  }
  return interpolateConfig(value, at, undefined);
}

/** Scans once, from left to right; after the last `}` only the escape has a meaning. */
function interpolateText(text: string, at: Interpolation): string {
  let result = '';
  let from = 0;
  for (let open = text.indexOf('${'); open >= 0; open = text.indexOf('${', from)) {
    if (open > from && text[open - 1] === '$') {
      result += `${text.slice(from, open - 1)}\${`;
      from = open + 2;
      continue;
    }
    const close = text.indexOf('}', open);
    if (close < 0) return result + text.slice(from).replaceAll('$${', () => '${');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form's name
    const put = textOf(valueOfVariable(text.slice(open + 2, close).trim(), '${}', at));
    at.built.add(put);
    result += text.slice(from, open) + put;
    from = close + 1;
  }
  return result + text.slice(from);
}

function valueOfVariable(name: string, form: '$var' | '${}', at: Interpolation): Json {
  const variable = isVariableName(name) ? at.scope.get(name) : undefined;
  if (variable !== undefined) return variable.value;
  const help = form === '$var' ? undefined : computedHelp(name, at.scope, at.nodeId);
  throw undefinedVariable(name, form, at.scope, { ...at, help });
}
