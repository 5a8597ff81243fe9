import { sendJson } from '../answer.ts';
import type { Route } from '../router.ts';
import { type ServiceDocumentOptions, serviceDocument } from './document.ts';

/** `GET /openapi.json`: the OpenAPI document of this service; its server address is relative to the document's. */
export function openApiRoute(options: ServiceDocumentOptions): Route {
  const document = serviceDocument(options);
  return {
    path: '/openapi.json',
    browser: true,
    methods: { GET: context => sendJson(context, 200, document, { 'cache-control': 'no-cache' }) },
  };
}
