import { EACH, isRecord } from '@msg/foundation/json';
import type { Field } from '@msg/foundation/shape';
import type { Envelope } from '../envelope.ts';
import type { Verb } from '../grants.ts';
import type { ManifestPayload } from '../manifest.ts';
import * as keys from './api-key-messages.ts';
import * as m from './messages.ts';
import { MalformedRequest, TWIRP_PREFIX } from './twirp.ts';

/**
 * The callers that a method accepts (messaging details 1.5; section 9 for management bearers that carry grants):
 * - `public`: anyone; a bearer is ignored;
 * - `channel`: a management bearer, or, with `accessToken`, an access token holding `verb` on the named channel;
 * - `each`: a management bearer; grants decide about each channel in the request by itself;
 * - `listing`: a management bearer; grants filter the result;
 * - `issuing`: a management bearer; with grants, tokens get no wider scopes than these;
 * - `service`: a management bearer; grants must cover everything.
 */
export type MethodAccess =
  | { readonly rule: 'public' }
  | { readonly rule: 'channel'; readonly verb: Verb; readonly accessToken: boolean }
  | { readonly rule: 'each' }
  | { readonly rule: 'listing' }
  | { readonly rule: 'issuing' }
  | { readonly rule: 'service' };

/** One row of the method table. */
export interface RpcMethod<Request, Response> {
  readonly access: MethodAccess;
  readonly request: Field<Request>;
  readonly response: Field<Response>;
  /** The method issues credentials or rights: it refuses unknown members (messaging details 24.7). */
  readonly strict: boolean;
  /** Path, for {@link keepSource}, of values in the request that are kept as text. */
  readonly source: readonly string[] | undefined;
}

/** The manifest RPC answers the envelope object itself. */
const manifestEnvelope: Field<Envelope<ManifestPayload>> = {
  zero() {
    throw new MalformedRequest('the manifest answer is empty');
  },
  read(value) {
    if (isRecord(value) && 'payload' in value && 'format_version' in value) {
      return value as unknown as Envelope<ManifestPayload>; // the server's document; readers check the members that they use
    }
    throw new MalformedRequest('the manifest answer must be a descriptor envelope');
  },
  write: value => value,
  schema: () => ({ type: 'object' }),
};

const PUBLIC: MethodAccess = { rule: 'public' };
const SERVICE: MethodAccess = { rule: 'service' };
const LISTING: MethodAccess = { rule: 'listing' };
const ISSUING: MethodAccess = { rule: 'issuing' };
const PER_CHANNEL: MethodAccess = { rule: 'channel', verb: 'manage', accessToken: true };
const CHANNEL: MethodAccess = { rule: 'channel', verb: 'manage', accessToken: false };
const PUBLISH: MethodAccess = { rule: 'channel', verb: 'publish', accessToken: false };
const READ: MethodAccess = { rule: 'channel', verb: 'subscribe', accessToken: false };
const EACH_CHANNEL: MethodAccess = { rule: 'each' };

function method<Request, Response>(
  access: MethodAccess,
  request: Field<Request>,
  response: Field<Response>,
): RpcMethod<Request, Response> {
  return { access, request, response, strict: false, source: undefined };
}

/** A method that publishes the values at `source`. */
function publishing<Request, Response>(
  source: readonly string[],
  ...parts: Parameters<typeof method<Request, Response>>
): RpcMethod<Request, Response> {
  return { ...method(...parts), source };
}

/** A method that issues credentials or rights. */
function strictMethod<Request, Response>(
  ...parts: Parameters<typeof method<Request, Response>>
): RpcMethod<Request, Response> {
  return { ...method(...parts), strict: true };
}

/**
 * The method table, which drives the server's routes, the typed client and the command line. Source: messaging details,
 * section 2.
 */
export const METHODS = {
  Manifest: method(PUBLIC, m.empty, manifestEnvelope),
  OpenPublic: method(PER_CHANNEL, m.openPublicRequest, m.channelResponse),
  CreatePrivate: strictMethod(CHANNEL, m.createPrivateRequest, m.createPrivateResponse),
  ListChannels: method(LISTING, m.empty, m.listChannelsResponse),
  GetChannel: method(PER_CHANNEL, m.channelRef, m.channelResponse),
  DeleteChannel: method(PER_CHANNEL, m.channelRef, m.empty),
  Publish: publishing(['json'], PUBLISH, m.publishRequest, m.publishResponse),
  PublishMany: publishing(['items', EACH, 'json'], EACH_CHANNEL, m.publishManyRequest, m.publishManyResponse),
  Broadcast: publishing(['json'], EACH_CHANNEL, m.broadcastRequest, m.broadcastResponse),
  Presence: method(PER_CHANNEL, m.channelRef, m.presenceResponse),
  Position: method(READ, m.channelRef, m.positionResponse),
  RemoveHistory: method(CHANNEL, m.channelRef, m.empty),
  PublishOrSink: publishing(['json'], PUBLISH, m.publishOrSinkRequest, m.publishOrSinkResponse),
  DlqList: method(SERVICE, m.dlqListRequest, m.dlqListResponse),
  DlqCount: method(SERVICE, m.dlqCountRequest, m.dlqCountResponse),
  DlqDiscard: method(SERVICE, m.dlqRef, m.empty),
  DlqReplay: method(SERVICE, m.dlqRef, m.dlqReplayResponse),
  ExplainAccess: method(CHANNEL, m.explainAccessRequest, m.explainAccessResponse),
  RefreshToken: method(PUBLIC, m.refreshTokenRequest, m.refreshTokenResponse),
  IssueAccess: strictMethod(ISSUING, m.issueAccessRequest, m.credentials),
  IssueMgmt: strictMethod(SERVICE, m.issueMgmtRequest, m.issueMgmtResponse),
  ListKeys: method(SERVICE, m.empty, m.listKeysResponse),
  GenerateKey: method(SERVICE, m.generateKeyRequest, m.keySummary),
  PromoteKey: method(SERVICE, m.keyRef, m.empty),
  RetireKey: method(SERVICE, m.keyRef, m.empty),
  ReloadKeys: method(SERVICE, m.empty, m.empty),
  CreateApiKey: strictMethod(SERVICE, keys.createApiKeyRequest, keys.apiKeyResponse),
  ListApiKeys: method(SERVICE, m.empty, keys.listApiKeysResponse),
  RotateApiKey: strictMethod(SERVICE, keys.rotateApiKeyRequest, keys.apiKeyResponse),
  RevokeApiKey: method(SERVICE, keys.apiKeyRef, m.empty),
  ListSchemas: method(SERVICE, m.empty, m.listSchemasResponse),
  GetSchema: method(SERVICE, m.getSchemaRequest, m.getSchemaResponse),
  RegisterSchema: method(SERVICE, m.schemaRequest, m.schemaResponse),
  UpdateSchema: method(SERVICE, m.schemaRequest, m.updateSchemaResponse),
  DeregisterSchema: method(SERVICE, m.schemaRef, m.empty),
  CheckSchema: method(SERVICE, m.schemaRequest, m.compatibilityResponse),
  RevokeToken: method(SERVICE, m.revokeTokenRequest, m.empty),
  RevokeUser: method(SERVICE, m.revokeUserRequest, m.empty),
} as const;

/** The type of the method table. */
export type RpcMethods = typeof METHODS;
/** The name of a method, the last part of its path. */
export type RpcMethodName = keyof RpcMethods;
/** The request of a method. */
export type RpcRequest<M extends RpcMethodName> =
  RpcMethods[M] extends RpcMethod<infer Request, unknown> ? Request : never;
/** The response of a method. */
export type RpcResponse<M extends RpcMethodName> =
  RpcMethods[M]['response'] extends Field<infer Response> ? Response : never;

const METHOD_OF_PATH: ReadonlyMap<string, RpcMethodName> = new Map(
  // The table is constant, so its keys are exactly the names.
  (Object.keys(METHODS) as RpcMethodName[]).map(name => [TWIRP_PREFIX + name, name]),
);

/** The method of an HTTP path, in exact case; `undefined` for any other path. */
export function rpcMethodOf(path: string): RpcMethodName | undefined {
  return METHOD_OF_PATH.get(path);
}
