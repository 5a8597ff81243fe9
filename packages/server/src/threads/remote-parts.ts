import type { ApiRpc } from '../api/commands/rpc.ts';
import type { AuthorizationAnswer, CustomAuthorizer } from '../auth/access/custom-authorizer.ts';
import type { LoginBegin, OperatorLogin } from '../auth/access/oidc/code-login.ts';
import { InvalidTokenError, type InvalidTokenReason } from '../auth/tokens/invalid-token.ts';
import type { IdentityTokenVerifier } from '../auth/tokens/verifier.ts';
import type { SendContext, Sink, SinkMessage } from '../notify/sinks/contract.ts';
import type { DeliveredVia } from '../notify/sinks/retrying.ts';
import type { Span } from '../observability/tracing/contract.ts';
import type { ClientRpc } from '../realtime/client-rpc.ts';
import type { RpcCall, RpcHandlers } from '../rpc/call.ts';
import {
  type IdentityVerdict,
  type LoginEnd,
  type MainRpc,
  METHODS_OF_MAIN,
  type SinkCall,
} from './calls.ts';
import type { PortCalls } from './port-calls.ts';
import { principalForm, type TokenForm, tokenOf } from './principal-form.ts';

/** What a thread knows of a sink. */
export interface SinkFacts {
  readonly name: string;
  readonly publicKey?: string;
}

/** Knows the span of the current work, once tracing is there. */
export interface CurrentSpan {
  readonly current: Pick<Span, 'traceparent'> | undefined;
}

/** A sink of main, seen from a thread: attempts, retries and dead letters are there (threads 1.3). */
export class RemoteSink implements Sink {
  readonly name: string;
  readonly publicKey?: string;
  readonly #calls: PortCalls;
  readonly #spans: CurrentSpan;

  constructor({ name, publicKey }: SinkFacts, calls: PortCalls, spans: CurrentSpan) {
    this.name = name;
    if (publicKey !== undefined) this.publicKey = publicKey;
    this.#calls = calls;
    this.#spans = spans;
  }

  /** Sends or parks the message. @throws MsgError the errors of `RetryingSink.deliver` */
  async deliver(recipient: unknown, message: SinkMessage, context: SendContext): Promise<DeliveredVia> {
    const { channel = '' } = context;
    const traceparent = this.#spans.current?.traceparent;
    const call: SinkCall = { sink: this.name, recipient, message, channel, traceparent };
    return (await this.#calls.call('sink', call)) as DeliveredVia;
  }

  async send(recipient: unknown, message: SinkMessage, context: SendContext): Promise<void> {
    await this.deliver(recipient, message, context);
  }
}

/** The embedder's code on main, for the options of a thread. */
export function remoteClientRpc(calls: PortCalls): ClientRpc {
  return async call => (await calls.call('clientRpc', call)) as Uint8Array;
}

export function remoteAuthorizer(calls: PortCalls): CustomAuthorizer {
  return async request => (await calls.call('authorize', request)) as AuthorizationAnswer;
}

export function remoteApiRpc(calls: PortCalls): ApiRpc {
  return call => calls.call('apiRpc', call);
}

/** The bridge to the identity provider, which main has. */
export function remoteProvider(calls: PortCalls): IdentityTokenVerifier {
  return {
    async verify(text) {
      const { token, invalid } = (await calls.call('identity', text)) as IdentityVerdict;
      if (invalid !== undefined) throw new InvalidTokenError(invalid as InvalidTokenReason);
      return token && tokenOf(token);
    },
  };
}

/** The console's client at the identity provider, which main has with its secret. */
export function remoteLogin(calls: PortCalls): OperatorLogin {
  return {
    begin: async () => (await calls.call('loginBegin')) as LoginBegin,
    async end(search, checks) {
      const call: LoginEnd = { search, checks };
      return tokenOf((await calls.call('loginEnd', call)) as TokenForm);
    },
  };
}

/** Handlers of the methods that main carries out. */
export function remoteHandlers(calls: PortCalls, spans: CurrentSpan): Partial<RpcHandlers> {
  const handlers = METHODS_OF_MAIN.map(method => {
    const handler = (request: unknown, { principal, clientAddress }: RpcCall) => {
      const traceparent = spans.current?.traceparent;
      const form = principalForm(principal);
      const call: MainRpc = { method, request, principal: form, clientAddress, traceparent };
      return calls.call('rpc', call);
    };
    return [method, handler] as const;
  });
  return Object.fromEntries(handlers);
}
