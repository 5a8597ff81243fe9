import { MsgError } from '@msg/core';
import type { OidcBridge } from '../auth/access/oidc/bridge.ts';
import type { OperatorLogin } from '../auth/access/oidc/code-login.ts';
import { InvalidTokenError } from '../auth/tokens/invalid-token.ts';
import { apiKeyHandlers } from '../rpc/api-keys.ts';
import type { RpcCall, RpcHandlers } from '../rpc/call.ts';
import { deadLetterHandlers } from '../rpc/dead-letters.ts';
import { keyHandlers } from '../rpc/keys.ts';
import { letterChangeHandlers } from '../rpc/letter-changes.ts';
import { redriveHandlers } from '../rpc/redrive.ts';
import type { Service } from '../service/compose.ts';
import type { MsgOptions } from '../service/options.ts';
import type { IdentityVerdict, LoginEnd, MainRpc, MethodOfMain, SinkCall } from './calls.ts';
import type { PortCalls, PortHandler } from './port-calls.ts';
import { principalOf, tokenForm } from './principal-form.ts';

/** What main answers its threads besides stores and streams. */
export interface MainParts {
  readonly service: Service;
  readonly options: MsgOptions;
  readonly oidc: OidcBridge | undefined;
  readonly consoleLogin: OperatorLogin | undefined;
  readonly readiness: () => unknown;
  readonly metrics: () => Promise<string>;
  /** Asks all threads for the uses of API keys; those that do not answer are left out. */
  readonly readKeyUses: () => Promise<void>;
}

/** What threads can ask of main, by the name of the call. */
export function mainAnswers(parts: MainParts): ReadonlyMap<string, PortHandler> {
  const { service, options, oidc, consoleLogin, readiness, metrics, readKeyUses } = parts;
  const { deadLetters, access } = service;
  const { ListApiKeys: listApiKeys } = apiKeyHandlers(service);
  const handlers: Pick<RpcHandlers, MethodOfMain> = {
    ...deadLetterHandlers(deadLetters, access),
    ...letterChangeHandlers(deadLetters),
    ...redriveHandlers(service),
    ...keyHandlers(service),
    async ListApiKeys(request, call) {
      await readKeyUses();
      return listApiKeys(request, call);
    },
  };
  const { tracing } = service;
  const below = (traceparent: string | undefined, work: () => unknown): unknown =>
    tracing === undefined ? work() : tracing.below(traceparent, work);
  const answers: Readonly<Record<string, PortHandler>> = {
    readiness,
    metrics,
    rpc({ method, request, principal, clientAddress, traceparent }: MainRpc) {
      // Handler and request belong to one name, which the types cannot express for a name known only at run time.
      const handler = handlers[method] as (request: unknown, call: RpcCall) => unknown;
      return below(traceparent, () => handler(request, { principal: principalOf(principal), clientAddress }));
    },
    sink: ({ sink, recipient, message, channel, traceparent }: SinkCall) =>
      below(traceparent, () => service.sinks.require(sink).deliver(recipient, message, { channel })),
    clientRpc: required(options.clientRpc),
    authorize: required(options.authorizer),
    apiRpc: required(options.apiRpc),
    identity: (text: string) => verdictOf(oidc, text),
    loginBegin: required(consoleLogin && (() => consoleLogin.begin())),
    loginEnd: required(
      consoleLogin &&
        (async ({ search, checks }: LoginEnd) => tokenForm(await consoleLogin.end(search, checks))),
    ),
  };
  return new Map(Object.entries(answers));
}

/** Gives a thread's calls their answers. */
export function answerCalls(calls: PortCalls, answers: ReadonlyMap<string, PortHandler>): void {
  for (const [name, handler] of answers) calls.handle(name, handler);
}

/** A thread asks only for what main has. */
function required(code: PortHandler | undefined): PortHandler {
  return (
    code ??
    (() => {
      throw new MsgError('MSG_INTERNAL', 'a thread asked for code that the service does not have');
    })
  );
}

async function verdictOf(oidc: OidcBridge | undefined, text: string): Promise<IdentityVerdict> {
  try {
    const token = await oidc?.verify(text);
    return token === undefined ? {} : { token: tokenForm(token) };
  } catch (error) {
    if (error instanceof InvalidTokenError) return { invalid: error.label };
    throw error;
  }
}
