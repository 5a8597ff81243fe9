import { type ChannelPattern, MsgError } from '@msg/core';
import { readChannelPattern } from '@msg/core/internal';
import type { SchemaRegistry } from '../schemas/registry.ts';
import type { RpcHandlers } from './call.ts';

type SchemaMethods =
  | 'ListSchemas'
  | 'GetSchema'
  | 'RegisterSchema'
  | 'UpdateSchema'
  | 'DeregisterSchema'
  | 'CheckSchema';

function required(pattern: string): string {
  if (pattern === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'pattern is required');
  return pattern;
}

/** Handlers of the schema group; schemas are read strictly, as the registry does. */
export function schemaHandlers(schemas: SchemaRegistry): Pick<RpcHandlers, SchemaMethods> {
  return {
    ListSchemas: () => schemas.snapshot(),
    GetSchema({ pattern, channel }) {
      if (pattern === '' && channel !== '') {
        const { schema, bindings } = schemas.lookup(channel);
        return {
          schema,
          bindings: new Map(Object.entries(bindings)),
          history: schemas.history(schema.pattern),
        };
      }
      const history = schemas.history(required(pattern));
      return { schema: history.at(-1) as ChannelPattern, bindings: new Map(), history };
    },
    async RegisterSchema({ schema }) {
      return { schema: await schemas.register(readChannelPattern(schema)) };
    },
    async UpdateSchema({ schema }) {
      const updated = await schemas.update(readChannelPattern(schema));
      return { schema: updated.schema, ...updated.compatibility };
    },
    async DeregisterSchema({ pattern }) {
      await schemas.deregister(required(pattern));
      return {};
    },
    CheckSchema: ({ schema }) => schemas.check(readChannelPattern(schema)),
  };
}
