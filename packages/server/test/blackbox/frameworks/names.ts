/** Where an application of a framework listens, and a management bearer of the service in it. */
export interface Listening {
  readonly url: string;
  readonly token: string;
}

/** Places where the body reaches the service, or is left where it finds it. */
export const SERVING = [
  'Express, before the parsers',
  'Express, after json()',
  'Fastify, in onRequest',
  'Fastify, after its parser, the body handed on',
  'Koa, before the parser',
  'Koa, after the parser, which hands the body on',
  'Nest on Express, before its parsers',
  'Nest on Express, as middleware after its parsers',
  'Nest on Fastify, in onRequest',
] as const;

/** Places where a parser keeps the body to itself. */
export const WITHOUT_BODY = ['Fastify, after its parser', 'Koa, after the parser'] as const;

export type FrameworkName = (typeof SERVING)[number] | (typeof WITHOUT_BODY)[number];
