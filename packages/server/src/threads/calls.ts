import type { LoginChecks } from '../auth/access/oidc/code-login.ts';
import type { SinkMessage } from '../notify/sinks/contract.ts';
import type { Service } from '../service/compose.ts';
import type { MsgOptions } from '../service/options.ts';
import type { PrincipalForm, TokenForm } from './principal-form.ts';

/** Uses of secrets of API keys: digests and Unix milliseconds. */
export type KeyUses = ReturnType<Service['apiKeys']['uses']>;

/** The listener of WebTransport. */
export type WebTransportOptions = NonNullable<MsgOptions['webtransport']>;

/**
 * Methods that main carries out for its threads: sinks, dead letters, the keyring and the configuration file are there, and it
 * can ask all threads.
 */
export const METHODS_OF_MAIN = [
  'DlqList',
  'DlqGet',
  'DlqGroups',
  'DlqCount',
  'DlqReplay',
  'DlqUpdate',
  'DlqDiscard',
  'DlqRestore',
  'DlqRedrive',
  'DlqJobs',
  'DlqJobStop',
  'ListKeys',
  'GenerateKey',
  'PromoteKey',
  'RetireKey',
  'ReloadKeys',
  'ListApiKeys',
] as const;

export type MethodOfMain = (typeof METHODS_OF_MAIN)[number];

/** Work of a thread that main carries out. */
interface WorkOfMain {
  /** The span of the thread in which it is asked for (W3C Trace Context); absent without tracing. */
  readonly traceparent: string | undefined;
}

/** A call of the RPC that main carries out. */
export interface MainRpc extends WorkOfMain {
  readonly method: MethodOfMain;
  readonly request: unknown;
  readonly principal: PrincipalForm;
  readonly clientAddress: string;
}

/** A delivery through a sink of main. */
export interface SinkCall extends WorkOfMain {
  readonly sink: string;
  readonly recipient: unknown;
  readonly message: SinkMessage;
  readonly channel: string;
}

/** The end of a sign-in at the identity provider: the query that the browser came back with. */
export interface LoginEnd {
  readonly search: string;
  readonly checks: LoginChecks;
}

/** The verdict of main about an ID token: `invalid` is the label of the refusal; both absent: of another issuer. */
export interface IdentityVerdict {
  readonly token?: TokenForm;
  readonly invalid?: string;
}
