import { METHODS } from '@msg/core';
import { TWIRP_PREFIX } from '@msg/core/internal';
import type { Field } from '@msg/foundation/shape';
import { type FieldSchema, schemaOf } from '../rpc-page.ts';

/** The form of a field as plain JSON: `string`, `[…]` for lists, `{…}` for messages. */
function formOf({ type, description, items, anyOf, properties, additionalProperties }: FieldSchema): unknown {
  if (items !== undefined) return [formOf(items)];
  if (anyOf !== undefined) return { 'or null': formOf(anyOf[0]) };
  if (properties !== undefined)
    return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, formOf(schema)]));
  if (additionalProperties !== undefined) return `object of ${additionalProperties.type}s`;
  return description ?? (type === 'object' ? 'json' : (type ?? 'json'));
}

/** The RPC: path, who may call, the forms of request and response. */
export function rpcMethods(): object {
  return Object.fromEntries(
    Object.entries(METHODS).map(([name, { access, rights, request, response, strict }]) => [
      TWIRP_PREFIX + name,
      {
        access,
        role: rights.role,
        effect: rights.effect,
        strict,
        request: formOf(schemaOf(request as Field<unknown>)),
        response: formOf(schemaOf(response as Field<unknown>)),
      },
    ]),
  );
}
