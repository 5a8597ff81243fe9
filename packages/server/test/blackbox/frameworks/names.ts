/** Where an application of a framework listens, and what opens the service in it. */
export interface Listening {
  readonly url: string;
  /** Base address of the service in it. */
  readonly service: string;
  /** A management bearer. */
  readonly token: string;
  /** An API key. */
  readonly key: string;
}

/** Where msg stands in an application, and whether the bodies of requests reach it there. */
export interface MountingRow {
  readonly framework: string;
  readonly place: string;
  /** False: a parser keeps the body to itself, and requests with one are answered with the remedy. */
  readonly hasBodies: boolean;
  /** Below which path the service is. */
  readonly basePath?: string;
}

const EXPRESS = ['Express 5', 'Express 4'] as const;
const BEFORE = 'before the parser';

/** Every mounting that is tested, in the order of the table in `docs/embedding.md`. */
export const MOUNTINGS = [
  ...EXPRESS.flatMap(framework => [
    { framework, place: BEFORE, hasBodies: true } as const,
    { framework, place: 'after `json()`', hasBodies: true } as const,
  ]),
  { framework: 'Fastify 5', place: BEFORE, hasBodies: true },
  { framework: 'Fastify 5', place: 'after the parser, the body handed on', hasBodies: true },
  { framework: 'Fastify 5', place: 'after the parser', hasBodies: false },
  { framework: 'Koa 3', place: BEFORE, hasBodies: true },
  { framework: 'Koa 3', place: 'after the parser with `patchNode`', hasBodies: true },
  { framework: 'Koa 3', place: 'after the parser', hasBodies: false },
  { framework: 'Hono on Node', place: 'before the application', hasBodies: true },
  { framework: 'Hono on Node', place: 'in a route', hasBodies: true },
  { framework: 'NestJS on Express', place: BEFORE, hasBodies: true },
  { framework: 'NestJS on Express', place: 'as middleware after the parsers', hasBodies: true },
  { framework: 'NestJS on Fastify', place: BEFORE, hasBodies: true },
  { framework: 'NestJS on Fastify', place: 'after the parser, the body handed on', hasBodies: true },
  { framework: 'Next.js 16', place: 'before its handler', hasBodies: true },
  { framework: 'Next.js 16', place: 'in an API route', hasBodies: true, basePath: '/api/msg' },
] as const satisfies readonly MountingRow[];

export type Mounting = (typeof MOUNTINGS)[number];

/** `Express 5, before the parser` */
export type MountingName = { [M in Mounting as `${M['framework']}, ${M['place']}`]: M } extends infer Names
  ? keyof Names & string
  : never;

export function nameOf({ framework, place }: MountingRow): string {
  return `${framework}, ${place}`;
}
