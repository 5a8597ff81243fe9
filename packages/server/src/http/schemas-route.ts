import type { MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { SchemaRegistry } from '../schemas/registry.ts';
import { sendJson } from './answer.ts';
import type { RequestContext } from './request-context.ts';
import type { Route } from './router.ts';

const PATHS = ['/msg/schemas', '/msg/schemas/'];

/** `GET /msg/schemas`: the snapshot, one pattern, its history, or the schema of a channel (messaging details 14.2). */
export function schemaRoutes(schemas: SchemaRegistry): readonly Route[] {
  const GET = (context: RequestContext): void => {
    try {
      const target = context.request.url ?? '';
      const start = target.indexOf('?');
      const query = new URLSearchParams(start < 0 ? '' : target.slice(start));
      sendJson(context, 200, answer(schemas, query), { 'cache-control': 'no-cache' });
    } catch (error) {
      const { status, message }: MsgError = toMsgError(error);
      sendJson(context, status, { error: message });
    }
  };
  return PATHS.map(path => ({ path, browser: true, methods: { GET } }));
}

/** @throws MsgError MSG_CHANNEL_NOT_FOUND */
function answer(schemas: SchemaRegistry, query: URLSearchParams): object {
  const channel = query.get('channel');
  if (channel !== null) {
    const { schema, bindings } = schemas.lookup(channel);
    return {
      pattern: schema,
      ...defined({ bindings: Object.keys(bindings).length === 0 ? undefined : bindings }),
    };
  }
  const pattern = query.get('pattern');
  if (pattern === null) return schemas.snapshot();
  if (query.get('history') === 'true') return { pattern, history: schemas.history(pattern) };
  return schemas.get(pattern);
}
