import { isRecord } from '@msg/foundation/json';
import type { Field } from '@msg/foundation/shape';
import type { Envelope } from '../envelope.ts';
import type { Verb } from '../grants.ts';
import type { ManifestPayload } from '../manifest.ts';
import { type MethodRights, targets } from './method-rights.ts';
import { MalformedRequest } from './twirp.ts';

/**
 * The callers that a method accepts (messaging details 1.5; section 9 for management bearers that carry grants):
 * - `public`: anyone; a bearer is ignored;
 * - `channel`: a management bearer, or, with `accessToken`, an access token holding `verb` on the named channel;
 * - `each`: a management bearer; grants decide about each channel in the request by itself;
 * - `listing`: a management bearer; grants filter the result;
 * - `issuing`: a management bearer; with grants, tokens get no wider scopes than these;
 * - `service`: a management bearer; grants must cover everything;
 * - `node`: a management bearer, whatever its grants: the answer holds no channel and no other subject.
 */
export type MethodAccess =
  | { readonly rule: 'public' }
  | {
      readonly rule: 'channel';
      readonly verb: Verb;
      /** Another verb that is enough. */
      readonly or?: Verb;
      readonly accessToken: boolean;
    }
  | { readonly rule: 'each' }
  | { readonly rule: 'listing' }
  | { readonly rule: 'issuing' }
  | { readonly rule: 'service' }
  | { readonly rule: 'node' };

/** One row of the method table. */
export interface RpcMethod<Request, Response> {
  readonly access: MethodAccess;
  /** The role that the caller needs, and what the audit records. */
  readonly rights: MethodRights;
  readonly request: Field<Request>;
  readonly response: Field<Response>;
  /** The method issues credentials or rights: it refuses unknown members (messaging details 24.7). */
  readonly strict: boolean;
  /** Path, for {@link keepSource}, of values in the request that are kept as text. */
  readonly source: readonly string[] | undefined;
}

/** The manifest RPC answers the envelope object itself. */
export const manifestEnvelope: Field<Envelope<ManifestPayload>> = {
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

export const PUBLIC: MethodAccess = { rule: 'public' };
export const SERVICE: MethodAccess = { rule: 'service' };
export const LISTING: MethodAccess = { rule: 'listing' };
export const ISSUING: MethodAccess = { rule: 'issuing' };
export const PER_CHANNEL: MethodAccess = { rule: 'channel', verb: 'manage', accessToken: true };
export const CHANNEL: MethodAccess = { rule: 'channel', verb: 'manage', accessToken: false };
export const PUBLISH: MethodAccess = { rule: 'channel', verb: 'publish', accessToken: false };
export const READ: MethodAccess = { rule: 'channel', verb: 'subscribe', accessToken: false };
/** Callers that may listen to a channel, or manage it. */
export const LOOK: MethodAccess = { rule: 'channel', verb: 'subscribe', or: 'manage', accessToken: false };
export const NODE: MethodAccess = { rule: 'node' };
export const EACH_CHANNEL: MethodAccess = { rule: 'each' };
export const CHANNEL_NAME = targets('channel', 'name');
export const API_KEY = targets('api_key', 'name');
export const SCHEMA_PATTERN = targets('pattern', 'schema.pattern');

export function method<Request, Response>(
  access: MethodAccess,
  rights: MethodRights,
  request: Field<Request>,
  response: Field<Response>,
): RpcMethod<Request, Response> {
  return { access, rights, request, response, strict: false, source: undefined };
}

/** A method that publishes the values at `source`. */
export function publishing<Request, Response>(
  source: readonly string[],
  ...parts: Parameters<typeof method<Request, Response>>
): RpcMethod<Request, Response> {
  return { ...method(...parts), source };
}

/** A method that publishes `json` into the named channel. */
export function publishingOne<Request, Response>(
  ...[rights, request, response]: readonly [MethodRights, Field<Request>, Field<Response>]
): RpcMethod<Request, Response> {
  return publishing(['json'], PUBLISH, rights, request, response);
}

/** A method that issues credentials or rights. */
export function strictMethod<Request, Response>(
  ...parts: Parameters<typeof method<Request, Response>>
): RpcMethod<Request, Response> {
  return { ...method(...parts), strict: true };
}
