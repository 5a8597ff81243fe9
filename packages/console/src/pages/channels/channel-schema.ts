import type { ChannelPattern, RpcResponse } from '@msg/core';
import { bindChannel, compareSpecificity, parseSchemaPattern } from '@msg/core/internal';
import { refusalOf } from '../../app/session.ts';
import { type Call, useCall } from '../../rpc/use-call.ts';

/** The pattern, unless it is of a grammar that this page does not know: the server may be of another version. */
function readablePattern(text: string): ReturnType<typeof parseSchemaPattern> | undefined {
  try {
    return parseSchemaPattern(text);
  } catch {
    return undefined;
  }
}

/** The schema of a channel: that of the most specific pattern. */
function schemaOf(name: string, { patterns }: RpcResponse<'ListSchemas'>): ChannelPattern | undefined {
  return (patterns as readonly ChannelPattern[]) // of our own registry
    .flatMap(schema => {
      const pattern = readablePattern(schema.pattern);
      return pattern === undefined ? [] : [{ schema, pattern }];
    })
    .filter(({ pattern }) => bindChannel(pattern, name) !== undefined)
    .toSorted((a, b) => compareSpecificity(a.pattern, b.pattern))[0]?.schema;
}

/** Reads the schemas that there are, and finds the one of a channel. */
export function useSchema(name: string): {
  readonly list: Call<RpcResponse<'ListSchemas'>>;
  readonly schema: ChannelPattern | undefined;
} {
  const list = useCall('ListSchemas', {}, { skip: refusalOf('ListSchemas') !== undefined });
  return { list, schema: list.data && schemaOf(name, list.data) };
}
