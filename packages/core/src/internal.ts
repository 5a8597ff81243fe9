// For the packages of this repository alone: nothing here is promised to programs.
export { MAX_NAME_LENGTH } from './channel-name.ts';
export { channelView } from './channel-view.ts';
export { TWIRP_STATUS } from './codes.ts';
export { formatDuration, parseDuration } from './duration.ts';
export { createEnvelope, formatTimestamp } from './envelope.ts';
export { toMsgError } from './errors.ts';
export {
  compileGrants,
  coversScope,
  evaluateGrants,
  type GrantClaims,
  type Grants,
  isVerb,
  VERBS,
} from './grants.ts';
export { payloadBytes } from './payload.ts';
export { rpcMethodOf } from './rpc/methods.ts';
export { type OpenApiExample, openApiDocument } from './rpc/openapi.ts';
export { MAX_PUBLICATIONS } from './rpc/publication.ts';
export { readRequest } from './rpc/request.ts';
export {
  badRoute,
  errorOfAnswer,
  IGNORED_FIELDS_HEADER,
  isRpcPath,
  MAX_BODY_BYTES,
  MAX_PUBLIC_BODY_BYTES,
  MalformedRequest,
  SlowRequest,
  TWIRP_PREFIX,
  twirpError,
} from './rpc/twirp.ts';
export { compareSchemas } from './schemas/compatibility.ts';
export {
  bindChannel,
  compareSpecificity,
  type PatternToken,
  parseSchemaPattern,
  type SchemaPattern,
} from './schemas/pattern.ts';
export { readChannelPattern, readSnapshot, sortedPatterns } from './schemas/read.ts';
export { PAYLOAD_TYPES, SCHEMA_CHANNEL } from './schemas/types.ts';
export { findViolation } from './schemas/validate.ts';
export {
  matchesPattern,
  parsePattern,
  readPattern,
  type ScopePattern,
  specificity,
} from './scope-pattern.ts';
