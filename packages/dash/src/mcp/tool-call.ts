import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ClientCapabilities,
  type Implementation,
  inputResponse,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { defined } from '@msg/foundation/json';

const LONGEST_NAME = 200;
/** The key of the one request for input that a tool makes. */
export const REVIEW_KEY = 'review';

interface Described {
  readonly name: string;
  readonly description: string;
}

/** What a tool knows of the call and of its host. */
export interface ToolCall {
  /** Every tool of the service. */
  readonly tools: readonly Described[];
  /** As the host names itself: not verified. */
  readonly proposer?: { readonly name: string; readonly version: string };
  /** The host can ask its user to open a URL. */
  readonly opensUrls: boolean;
  /** What the user did when asked to open the review; undefined before the user was asked. */
  readonly answer?: 'accept' | 'decline' | 'cancel';
  /** The state that a former answer to this call carried. It comes from the client. */
  readonly state?: string;
  readonly signal: AbortSignal;
}

/** What a request of 2026 says of its host. */
interface ClientIdentity {
  readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities;
  readonly [CLIENT_INFO_META_KEY]?: Implementation;
}

/** Reads a call: a request of 2026 carries the identity of its host, before the handshake does. */
export function toolCall(
  tools: readonly Described[],
  server: Server,
  { mcpReq: { envelope, inputResponses, requestState, signal } }: ServerContext,
): ToolCall {
  // The library has read the envelope before it calls a handler.
  const identity: ClientIdentity = envelope ?? {};
  const capabilities = identity[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const client = identity[CLIENT_INFO_META_KEY] ?? server.getClientVersion();
  const response = inputResponse(inputResponses, REVIEW_KEY);
  const state = requestState<unknown>();
  return defined({
    tools,
    proposer: client && {
      name: client.name.slice(0, LONGEST_NAME),
      version: client.version.slice(0, LONGEST_NAME),
    },
    opensUrls: capabilities?.elicitation?.url !== undefined,
    answer: response.kind === 'elicit' ? response.action : undefined,
    state: typeof state === 'string' ? state : undefined,
    signal,
  });
}
