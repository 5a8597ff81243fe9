import type { Field, JsonSchema } from '@msg/foundation/shape';
import { CODE_TABLE, TWIRP_STATUS } from '../codes.ts';
import type { MethodAccess } from './method-row.ts';
import { METHODS, type RpcMethodName } from './methods.ts';
import { IGNORED_FIELDS_HEADER, TWIRP_PREFIX } from './twirp.ts';

/** A request, and what a service answered it. */
export interface OpenApiExample {
  readonly request: unknown;
  readonly answer: unknown;
}

/** Options of an OpenAPI document. */
export interface OpenApiOptions {
  /** Version of the service. */
  readonly version: string;
  /** Base address of the service; absent: the address that the document was read from. */
  readonly server?: string;
  /** Examples by method. */
  readonly examples?: Readonly<Record<string, OpenApiExample>>;
}

const JSON_TYPE = 'application/json';
const BEARER = 'bearer';
const API_KEY = 'apiKey';

const ACCESS: Readonly<Record<MethodAccess['rule'], string>> = {
  public: 'Anyone may call it; a bearer is ignored.',
  channel: 'A management bearer; one with grants needs the verb on the channel.',
  each: 'A management bearer; one with grants needs `publish` on each channel that the request names.',
  listing: 'A management bearer; one with grants sees what they cover.',
  issuing: 'A management bearer; one with grants gives no wider scopes than these.',
  service: 'A management bearer; one with grants must cover everything.',
  node: 'A management bearer, with any grants.',
};

/** The statuses of errors, with their codes. */
function errorStatuses(): ReadonlyMap<number, readonly string[]> {
  const codes = new Map<number, string[]>();
  for (const [code, { twirp }] of Object.entries(CODE_TABLE)) {
    const status = TWIRP_STATUS[twirp];
    codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  return codes;
}

function errorResponses(): Readonly<Record<string, JsonSchema>> {
  const content = { [JSON_TYPE]: { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    [...errorStatuses()].map(([status, codes]) => [status, { description: codes.join(', '), content }]),
  );
}

/** The name of a method as words: `Publish or sink`. */
function summaryOf(name: RpcMethodName): string {
  return name.replace(/(?!^)[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
}

const exampleOf = (example: unknown): JsonSchema => (example === undefined ? {} : { example });

function operation(name: RpcMethodName, example: OpenApiExample | undefined): JsonSchema {
  const { access, rights, request, response, strict } = METHODS[name];
  const requested = (request as Field<unknown>).schema({ written: false, closed: strict });
  const answered = (response as Field<unknown>).schema({ written: true, closed: false });
  return {
    operationId: name,
    summary: summaryOf(name),
    description:
      rights.role === null
        ? ACCESS[access.rule]
        : `${ACCESS[access.rule]} Its role is \`${rights.role}\` or higher.`,
    security: access.rule === 'public' ? [] : [{ [BEARER]: [] }, { [API_KEY]: [] }],
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: requested, ...exampleOf(example?.request) } },
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: { [IGNORED_FIELDS_HEADER]: { $ref: '#/components/headers/IgnoredFields' } },
        content: { [JSON_TYPE]: { schema: answered, ...exampleOf(example?.answer) } },
      },
      ...errorResponses(),
    },
  };
}

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    code: { enum: Object.keys(TWIRP_STATUS) },
    msg: { type: 'string' },
    meta: {
      type: 'object',
      properties: { code: { enum: Object.keys(CODE_TABLE) } },
      additionalProperties: { type: 'string' },
    },
  },
  required: ['code', 'msg', 'meta'],
};

/** The OpenAPI 3.1 document of the RPC, made from the method table. */
export function openApiDocument({ version, server = '/', examples = {} }: OpenApiOptions): JsonSchema {
  const names = Object.keys(METHODS) as RpcMethodName[]; // its own keys
  return {
    openapi: '3.1.1',
    info: { title: 'msg', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server }],
    paths: Object.fromEntries(
      names.map(name => [TWIRP_PREFIX + name, { post: operation(name, examples[name]) }]),
    ),
    components: {
      securitySchemes: {
        [BEARER]: { type: 'http', scheme: 'bearer' },
        [API_KEY]: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
      schemas: { Error: ERROR },
      headers: {
        IgnoredFields: {
          description: 'Members of the request that the method does not know, separated by commas.',
          schema: { type: 'string' },
        },
      },
    },
  };
}
