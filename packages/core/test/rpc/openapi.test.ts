import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { METHODS } from '#src/rpc/methods.ts';
import { openApiDocument } from '#src/rpc/openapi.ts';

/** The part of the validator's package that is used. */
interface ValidatorPackage {
  readonly Validator: new () => { validate(document: object): Promise<{ readonly valid: boolean }> };
}

const require = createRequire(import.meta.url);
const { Validator } = require('@seriousme/openapi-schema-validator') as ValidatorPackage;

/** The part of the document that is read here. */
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly security: unknown[];
          readonly requestBody: Body;
          readonly responses: Readonly<Record<string, Body>>;
        };
      }
    >
  >;
}
interface Body {
  readonly content: { readonly 'application/json': { readonly schema: object } };
}

const document = openApiDocument({ version: '1.2.3', server: 'https://msg.example' }) as unknown as Document;

function operationOf(name: string) {
  const operation = document.paths[`/twirp/msg.MsgService/${name}`]?.post;
  if (operation === undefined) throw new Error(`no operation ${name}`);
  return operation;
}

function judge({ content }: Body, value: unknown): boolean {
  return new Ajv2020({ strict: true, allowUnionTypes: true }).validate(
    content['application/json'].schema,
    value,
  );
}

describe('the OpenAPI document of the RPC', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('is refused by the validator when a part is not as OpenAPI says', async () => {
    const { paths: _paths, ...rest } = structuredClone(document);
    const { valid } = await new Validator().validate({
      ...rest,
      paths: { 'no-slash': { post: { responses: 1 } } },
    });
    expect(valid).toBe(false);
  });

  it('has every method, and a bearer for all but the public ones', () => {
    const paths = Object.keys(METHODS).map(name => `/twirp/msg.MsgService/${name}`);
    expect(Object.keys(document.paths)).toEqual(paths);
    for (const [name, { access }] of Object.entries(METHODS)) {
      expect(operationOf(name).security.length, name).toBe(access.rule === 'public' ? 0 : 2);
    }
  });

  it.each(Object.entries(METHODS))('describes what %s takes and answers', (name, { request, response }) => {
    if (name === 'Manifest') return;
    const { requestBody, responses } = operationOf(name);
    expect(judge(requestBody, {})).toBe(true);
    expect(judge(requestBody, request.write(request.zero() as never))).toBe(true);
    expect(judge(responses['200'] as Body, response.write(response.zero() as never))).toBe(true);
  });

  it('refuses unknown members where the method does, and only there', () => {
    expect(judge(operationOf('CreatePrivate').requestBody, { other: 1 })).toBe(false);
    expect(judge(operationOf('OpenPublic').requestBody, { other: 1 })).toBe(true);
    expect(judge(operationOf('OpenPublic').requestBody, { ttl_seconds: 'x' })).toBe(false);
  });

  it('tells an answer that lacks a member from a whole one', () => {
    const { 200: answer } = operationOf('Publish').responses;
    expect(judge(answer as Body, { offset: 1, epoch: 'a', suppressed: false })).toBe(true);
    expect(judge(answer as Body, { offset: 1 })).toBe(false);
  });

  it('names the codes of each status', () => {
    const { 412: failed } = operationOf('Publish').responses as Record<string, { description?: string }>;
    expect(failed?.description).toBe(
      'MSG_CHANNEL_CLOSED, MSG_SINK_RECIPIENT_DECODE, MSG_SINK_RECIPIENT_GONE, MSG_APPEND_GAP, MSG_APPEND_CLOSED',
    );
  });
});
