import { METHODS, TWIRP_PREFIX } from '@msg/core';
import type { Field } from '../../packages/core/src/rpc/fields.ts';

/** The form of a field as plain JSON: `string`, `[…]` for lists, `{…}` for messages; what may be null ends in `?`. */
function formOf({ form = 'json' }: Field<unknown>): unknown {
  if (typeof form === 'string') return form;
  if ('list' in form) return [formOf(form.list)];
  if ('optional' in form) return { 'or null': formOf(form.optional) };
  return Object.fromEntries(Object.entries(form.members).map(([name, field]) => [name, formOf(field)]));
}

/** The RPC: path, who may call, the forms of request and response. */
export function rpcMethods(): object {
  return Object.fromEntries(
    Object.entries(METHODS).map(([name, { access, request, response, strict }]) => [
      TWIRP_PREFIX + name,
      {
        access,
        strict,
        request: formOf(request as Field<unknown>),
        response: formOf(response as Field<unknown>),
      },
    ]),
  );
}
