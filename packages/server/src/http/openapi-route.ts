import { openApiDocument } from '@msg/core/internal';
import { sendJson } from './answer.ts';
import type { Route } from './router.ts';

/** `GET /openapi.json`: the OpenAPI document of this service; its server address is relative to the document's. */
export function openApiRoute(version: string, prefix: string): Route {
  const document = openApiDocument({ version, server: prefix === '' ? '/' : prefix });
  return {
    path: '/openapi.json',
    browser: true,
    methods: { GET: exchange => sendJson(exchange, 200, document, { 'cache-control': 'no-cache' }) },
  };
}
