import { nearest } from '@msg/foundation/suggest';
import { display } from '../document/display.ts';
import type { Json } from '../document/json.ts';
import type { VariableDeclaration } from '../document/types.ts';
import { DashError } from '../errors.ts';
import type { Scope } from './tree.ts';

/** Names in the details of one error. */
export const LONGEST_LIST = 50;

/** The error VAR_UNDEFINED. `help` joins the details. */
export function undefinedVariable(
  name: string,
  form: '$var' | '${}' | 'expr' | 'widget',
  scope: Scope,
  {
    path,
    nodeId,
    help,
  }: { readonly path: string; readonly nodeId?: string; readonly help?: object | undefined },
): DashError {
  return new DashError('VAR_UNDEFINED', `Variable "${display(name)}" does not exist at ${display(path)}.`, {
    name,
    path,
    nodeId,
    form,
    ...help,
    visible: nearest(name, [...scope.keys()].sort()).slice(0, LONGEST_LIST),
  });
}

/** The error VAR_DECLARATION_INVALID. */
export function declarationInvalid(path: string, name: string, reason: string): DashError {
  const message = `Declaration of variable "${display(name)}" is not valid: ${reason}.`;
  return new DashError('VAR_DECLARATION_INVALID', message, { path, name, reason });
}

export function optionsInvalid(path: string, name: string, value?: Json): DashError {
  const message = `Options of variable "${name}" must be distinct texts of an enum that contain its value.`;
  return new DashError('VAR_OPTIONS_INVALID', message, {
    path,
    name,
    value,
  });
}

export function typeInvalid({ name, type }: VariableDeclaration, path: string): DashError {
  return new DashError('VAR_TYPE', `Value of variable "${name}" must be of type ${type}.`, {
    path,
    name,
    type,
  });
}
