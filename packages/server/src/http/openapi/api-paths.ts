import { defined } from '@msg/foundation/json';
import type { JsonSchema } from '@msg/foundation/shape';
import { COMMAND_MESSAGES, type CommandMessages } from '../../api/commands/messages.ts';
import { API_ERRORS } from '../../api/errors.ts';
import type { ApiSettings } from '../../api/options.ts';
import { EXAMPLES } from './examples.ts';

const JSON_TYPE = 'application/json';
const ERROR = { $ref: '#/components/schemas/CommandError' };

/** The ways to present a key; the query counts only where the settings allow it. */
export const API_KEY_SCHEMES: Readonly<Record<string, JsonSchema>> = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  apiKeyAuthorization: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`apikey <key>`; read when `X-API-Key` is absent or empty.',
  },
  apiKeyQuery: { type: 'apiKey', in: 'query', name: 'api_key', description: 'With `api.allow_query_key`.' },
};

const MODE_PARAMETER: JsonSchema = {
  name: 'X-Centrifugo-Error-Mode',
  in: 'header',
  description:
    '`transport`: a failure has an HTTP status of its own, and its body is the error object alone.',
  schema: { type: 'string', enum: ['transport'] },
};

const DETAIL_HEADERS: JsonSchema = {
  'X-Msg-Code': { description: 'The code of the service.', schema: { type: 'string' } },
  'X-Msg-Detail': { description: 'What happened, percent-encoded.', schema: { type: 'string' } },
};

const jsonContent = (schema: JsonSchema, example?: unknown): JsonSchema => ({
  [JSON_TYPE]: defined({ schema, example }),
});

const plainText = (description: string): JsonSchema => ({
  description,
  content: { 'text/plain': { schema: { type: 'string' } } },
});

/** Failures of a single command in the transport mode, by status, with the codes that lead there. */
function transportErrors(): Readonly<Record<number, JsonSchema>> {
  const rows = Object.entries(API_ERRORS).map(([code, { message, status }]) => ({
    status,
    text: `${code} ${message}`,
  }));
  const statuses = [...new Set(rows.map(({ status }) => status))];
  const answers = statuses.map(status => {
    const texts = rows.filter(row => row.status === status).map(({ text }) => text);
    const description = `In the transport mode: ${texts.join(', ')}.`;
    return [status, { description, headers: DETAIL_HEADERS, content: jsonContent(ERROR) }];
  });
  const notReady = {
    description: 'In the transport mode: 100 while the broker is not ready.',
    content: jsonContent(ERROR),
  };
  return { ...Object.fromEntries(answers), 503: notReady };
}

/** What every path answers before a command is run. */
const REFUSED: Readonly<Record<number, JsonSchema>> = {
  401: { description: 'No key, or one that is not valid; the body is empty.', headers: DETAIL_HEADERS },
  405: plainText('The method must be POST.'),
  408: plainText('The body did not arrive in time.'),
  413: plainText('The body is too large.'),
};

/** What is wrong with a body as a whole is told as text, in both modes. */
function withBadBody(errors: Readonly<Record<number, JsonSchema>>): Readonly<Record<number, JsonSchema>> {
  const bad = errors[400] ?? { description: '' };
  return {
    ...errors,
    400: {
      ...bad,
      description: `The body is not one JSON object (text). ${bad['description']}`.trim(),
      content: {
        ...(bad['content'] as JsonSchema | undefined),
        'text/plain': { schema: { type: 'string' } },
      },
    },
  };
}

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly request: JsonSchema;
  readonly answer: JsonSchema;
  readonly example: string;
  readonly errors: Readonly<Record<number, JsonSchema>>;
  readonly parameters?: readonly JsonSchema[];
}

function post(operation: Operation, security: readonly JsonSchema[]): JsonSchema {
  const { id, summary, description, request, answer, example, errors, parameters } = operation;
  const { request: asked, answer: answered } = EXAMPLES[example] ?? {};
  return {
    post: {
      operationId: id,
      summary,
      description,
      security,
      ...defined({ parameters }),
      requestBody: { required: true, content: jsonContent(request, asked) },
      responses: {
        200: { description: 'The answer.', headers: DETAIL_HEADERS, content: jsonContent(answer, answered) },
        ...withBadBody(errors),
        ...REFUSED,
      },
    },
  };
}

const resultOf = (result: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { result },
  required: ['result'],
});
const failed: JsonSchema = { type: 'object', properties: { error: ERROR }, required: ['error'] };

function commandOperation(name: string, { summary, right, request, result }: CommandMessages): Operation {
  const words = name.split('_').map(word => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return {
    id: `api${words.join('')}`,
    summary,
    description: `A key with grants needs ${right}.`,
    request,
    answer: { anyOf: [resultOf(result), failed] },
    example: `api/${name}`,
    errors: transportErrors(),
    parameters: [MODE_PARAMETER],
  };
}

function batchOperation(maxBatch: number): Operation {
  const names = Object.entries(COMMAND_MESSAGES);
  const command = {
    type: 'object',
    properties: Object.fromEntries(names.map(([name, { request }]) => [name, request])),
  };
  const reply = {
    type: 'object',
    properties: { ...Object.fromEntries(names.map(([name, { result }]) => [name, result])), error: ERROR },
  };
  const replies = {
    type: 'object',
    properties: { replies: { type: 'array', items: reply } },
    required: ['replies'],
  };
  return {
    id: 'apiBatch',
    summary: 'Several commands in one request; replies stand in the order of the commands.',
    description: 'Each command is an object with exactly one member, and needs the right of that command.',
    request: {
      type: 'object',
      properties: {
        commands: { type: 'array', items: command, minItems: 1, maxItems: maxBatch },
        parallel: { type: 'boolean' },
      },
      required: ['commands'],
    },
    answer: { anyOf: [replies, failed] },
    example: 'api/batch',
    errors: transportErrors(),
    parameters: [MODE_PARAMETER],
  };
}

const OLDER_FORM: Operation = {
  id: 'apiOlderForm',
  summary: 'The older form: the command stands in the body.',
  description:
    'Several objects may follow one another; their replies are lines. Failures are always answered with 200.',
  request: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      method: {
        anyOf: [{ type: 'string' }, { type: 'integer' }],
        description: 'The name of a command, or its number.',
      },
      params: { type: 'object' },
    },
  },
  answer: {
    type: 'object',
    properties: { id: { type: 'integer' }, result: { type: 'object' }, error: ERROR },
  },
  example: 'api',
  errors: {},
};

/** The paths of the HTTP API, as its settings have them. */
export function apiPaths({
  path,
  maxBatch,
  allowQueryKey,
}: Pick<ApiSettings, 'path' | 'maxBatch' | 'allowQueryKey'>): Readonly<Record<string, JsonSchema>> {
  const schemes = Object.keys(API_KEY_SCHEMES).filter(name => allowQueryKey || name !== 'apiKeyQuery');
  const security = schemes.map(name => ({ [name]: [] }));
  const commands = Object.entries(COMMAND_MESSAGES).map(([name, messages]) => [
    `${path}/${name}`,
    post(commandOperation(name, messages), security),
  ]);
  return {
    ...Object.fromEntries(commands),
    [`${path}/batch`]: post(batchOperation(maxBatch), security),
    [path]: post(OLDER_FORM, security),
  };
}
