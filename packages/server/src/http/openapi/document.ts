import { openApiDocument } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { JsonSchema } from '@msg/foundation/shape';
import { ERROR_SCHEMA } from '../../api/commands/messages.ts';
import type { ApiSettings } from '../../api/options.ts';
import { API_KEY_SCHEMES, apiPaths } from './api-paths.ts';
import { EXAMPLES } from './examples.ts';

/** What the document of a service says besides its methods. */
export interface ServiceDocumentOptions {
  readonly version: string;
  /** Base path of the service; empty for none. */
  readonly prefix: string;
  /** The HTTP API; absent while it is off: its paths answer 404. */
  readonly api?: Pick<ApiSettings, 'path' | 'maxBatch' | 'allowQueryKey'> | undefined;
}

/** The OpenAPI 3.1 document of a service: RPC and HTTP API, with examples that a real service answered. */
export function serviceDocument({ version, prefix, api }: ServiceDocumentOptions): JsonSchema {
  const document = openApiDocument({ version, server: prefix === '' ? '/' : prefix, examples: EXAMPLES });
  if (api === undefined) return document;
  const { paths, components } = document as Readonly<
    Record<'paths' | 'components', Record<string, JsonSchema>>
  >;
  const { securitySchemes, schemas } = components;
  const { apiKeyQuery, ...schemes } = API_KEY_SCHEMES;
  return {
    ...document,
    paths: { ...paths, ...apiPaths(api) },
    components: {
      ...components,
      securitySchemes: {
        ...securitySchemes,
        ...schemes,
        ...defined({ apiKeyQuery: api.allowQueryKey ? apiKeyQuery : undefined }),
      },
      schemas: { ...schemas, CommandError: ERROR_SCHEMA },
    },
  };
}
