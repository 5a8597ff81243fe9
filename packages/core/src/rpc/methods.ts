import { EACH } from '@msg/foundation/json';
import type { Field } from '@msg/foundation/shape';
import * as keys from './api-key-messages.ts';
import * as append from './append-messages.ts';
import { getChannelResponse } from './channel-messages.ts';
import * as delivery from './delivery-messages.ts';
import * as m from './messages.ts';
import { answers, carries, reads, targets, writes } from './method-rights.ts';
import {
  API_KEY,
  CHANNEL,
  CHANNEL_NAME,
  EACH_CHANNEL,
  ISSUING,
  LISTING,
  manifestEnvelope,
  method,
  PER_CHANNEL,
  PUBLIC,
  PUBLISH,
  publishing,
  publishingOne,
  READ,
  type RpcMethod,
  SCHEMA_PATTERN,
  SERVICE,
  strictMethod,
} from './method-row.ts';
import { OPERATOR_METHODS } from './operator-methods.ts';
import * as redrive from './redrive-messages.ts';
import { TWIRP_PREFIX } from './twirp.ts';

/**
 * The method table, which drives the server's routes, the typed client and the command line. Source: messaging details,
 * section 2.
 */
export const METHODS = {
  Manifest: method(PUBLIC, reads(null), m.empty, manifestEnvelope),
  OpenPublic: method(
    PER_CHANNEL,
    writes('operator', CHANNEL_NAME, ['ttl_seconds']),
    m.openPublicRequest,
    m.channelResponse,
  ),
  CreatePrivate: strictMethod(
    CHANNEL,
    // Scopes may reach beyond the channel: to give them is to issue rights.
    {
      ...writes('operator', CHANNEL_NAME, ['ttl_seconds', 'subject']),
      raised: { member: 'scopes', role: 'admin' },
    },
    m.createPrivateRequest,
    m.createPrivateResponse,
  ),
  ListChannels: method(LISTING, reads('viewer'), m.listChannelsRequest, m.listChannelsResponse),
  GetChannel: method(PER_CHANNEL, reads('viewer'), m.channelRef, getChannelResponse),
  DeleteChannel: method(PER_CHANNEL, writes('operator', CHANNEL_NAME), m.channelRef, m.empty),
  Publish: publishingOne(carries('operator', CHANNEL_NAME), m.publishRequest, m.publishResponse),
  PublishMany: publishing(
    ['items', EACH, 'json'],
    EACH_CHANNEL,
    carries('operator'),
    m.publishManyRequest,
    m.publishManyResponse,
  ),
  Broadcast: publishing(['json'], EACH_CHANNEL, carries('operator'), m.broadcastRequest, m.broadcastResponse),
  Presence: method(PER_CHANNEL, reads('viewer'), m.channelRef, m.presenceResponse),
  Position: method(READ, reads('viewer'), m.channelRef, m.positionResponse),
  RemoveHistory: method(CHANNEL, writes('operator', CHANNEL_NAME), m.channelRef, m.empty),
  PublishOrSink: publishingOne(
    carries('operator', CHANNEL_NAME, ['sink']),
    delivery.publishOrSinkRequest,
    delivery.publishOrSinkResponse,
  ),
  Append: method(PUBLISH, carries('operator', CHANNEL_NAME), append.appendRequest, append.appendResponse),
  AppendState: method(PUBLISH, reads('viewer'), append.appendStateRequest, append.appendStateResponse),
  AppendCancel: method(
    PUBLISH,
    writes('operator', CHANNEL_NAME, ['message', 'input', 'reason']),
    append.appendCancelRequest,
    append.appendCancelResponse,
  ),
  DlqList: method(SERVICE, reads('viewer'), delivery.dlqListRequest, delivery.dlqListResponse),
  DlqGet: method(SERVICE, reads('operator'), delivery.dlqRef, delivery.dlqGetResponse),
  DlqGroups: method(SERVICE, reads('viewer'), delivery.dlqCountRequest, delivery.dlqGroupsResponse),
  DlqCount: method(SERVICE, reads('viewer'), delivery.dlqCountRequest, delivery.dlqCountResponse),
  DlqUpdate: method(
    SERVICE,
    writes('operator', targets('dead_letter', 'id')),
    delivery.dlqUpdateRequest,
    delivery.dlqGetResponse,
  ),
  DlqDiscard: method(
    SERVICE,
    writes('operator', targets('dead_letter', 'id'), ['sink', 'group', 'undo_seconds', 'discarded', 'ids']),
    delivery.dlqDiscardRequest,
    delivery.dlqDiscardResponse,
  ),
  DlqRestore: method(
    SERVICE,
    writes('operator', undefined, ['restored', 'ids']),
    delivery.dlqRestoreRequest,
    delivery.dlqRestoreResponse,
  ),
  DlqReplay: method(
    SERVICE,
    writes('operator', targets('dead_letter', 'id')),
    delivery.dlqRef,
    delivery.dlqReplayResponse,
  ),
  DlqRedrive: method(
    SERVICE,
    writes('operator', answers('job', 'job.id'), [
      ...['sink', 'group', 'all', 'per_second', 'dry_run', 'resume', 'matched'],
    ]),
    redrive.dlqRedriveRequest,
    redrive.dlqRedriveResponse,
  ),
  DlqJobs: method(SERVICE, reads('viewer'), redrive.dlqJobsRequest, redrive.dlqJobsResponse),
  DlqJobStop: method(SERVICE, writes('operator', targets('job', 'job')), redrive.dlqJobsRequest, m.empty),
  ExplainAccess: method(CHANNEL, reads('viewer'), m.explainAccessRequest, m.explainAccessResponse),
  RefreshToken: method(PUBLIC, carries(null), m.refreshTokenRequest, m.refreshTokenResponse),
  IssueAccess: strictMethod(
    ISSUING,
    writes('admin', targets('user', 'subject'), ['ttl_seconds', 'session_ttl_seconds']),
    m.issueAccessRequest,
    m.credentials,
  ),
  IssueMgmt: strictMethod(
    SERVICE,
    writes('admin', targets('user', 'subject'), ['ttl_seconds', 'role']),
    m.issueMgmtRequest,
    m.issueMgmtResponse,
  ),
  ListKeys: method(SERVICE, reads('viewer'), m.empty, m.listKeysResponse),
  GenerateKey: method(
    SERVICE,
    writes('admin', answers('kid', 'id'), ['alg']),
    m.generateKeyRequest,
    m.keySummary,
  ),
  PromoteKey: method(SERVICE, writes('admin', targets('kid', 'id')), m.keyRef, m.empty),
  RetireKey: method(SERVICE, writes('admin', targets('kid', 'id')), m.keyRef, m.empty),
  ReloadKeys: method(SERVICE, writes('admin'), m.empty, m.empty),
  CreateApiKey: strictMethod(
    SERVICE,
    writes('admin', API_KEY, ['role', 'ttl_seconds']),
    keys.createApiKeyRequest,
    keys.apiKeyResponse,
  ),
  ListApiKeys: method(SERVICE, reads('viewer'), m.empty, keys.listApiKeysResponse),
  RotateApiKey: strictMethod(
    SERVICE,
    writes('admin', API_KEY, ['overlap_seconds']),
    keys.rotateApiKeyRequest,
    keys.apiKeyResponse,
  ),
  RevokeApiKey: method(SERVICE, writes('admin', API_KEY), keys.apiKeyRef, m.empty),
  ListSchemas: method(SERVICE, reads('viewer'), m.empty, m.listSchemasResponse),
  GetSchema: method(SERVICE, reads('viewer'), m.getSchemaRequest, m.getSchemaResponse),
  RegisterSchema: method(SERVICE, writes('admin', SCHEMA_PATTERN), m.schemaRequest, m.schemaResponse),
  UpdateSchema: method(SERVICE, writes('admin', SCHEMA_PATTERN), m.schemaRequest, m.updateSchemaResponse),
  DeregisterSchema: method(SERVICE, writes('admin', targets('pattern', 'pattern')), m.schemaRef, m.empty),
  CheckSchema: method(SERVICE, reads('viewer'), m.schemaRequest, m.compatibilityResponse),
  RevokeToken: method(
    SERVICE,
    writes('operator', targets('jti', 'token_id'), ['user_id', 'reason']),
    m.revokeTokenRequest,
    m.empty,
  ),
  RevokeUser: method(
    SERVICE,
    writes('operator', targets('user', 'user_id'), ['reason']),
    m.revokeUserRequest,
    m.empty,
  ),
  ...OPERATOR_METHODS,
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

/** The last path, which is mostly that of the next call too, and its method. */
let lastPath = '';
let lastMethod: RpcMethodName | undefined;

/** The method of an HTTP path, in exact case; `undefined` for any other path. */
export function rpcMethodOf(path: string): RpcMethodName | undefined {
  if (path !== lastPath) {
    lastMethod = METHOD_OF_PATH.get(path);
    lastPath = lastMethod === undefined ? '' : path;
  }
  return lastMethod;
}
