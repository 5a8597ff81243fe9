import type { OpenApiExample } from '@msg/core/internal';
import recorded from './examples.json' with { type: 'json' };

/** What a real service answered, by method of the RPC or command of the HTTP API; `npm run docs:examples` records it. */
export const EXAMPLES: Readonly<Record<string, OpenApiExample>> = recorded;
