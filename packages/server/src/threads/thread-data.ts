import type { MessagePort } from 'node:worker_threads';
import type { ListenAddress } from '../config/listen-address.ts';
import type { RunFacts } from '../http/run-facts.ts';
import type { StoresLink } from '../stores/threads/thread-stores.ts';
import type { WebTransportOptions } from './calls.ts';
import type { SinkFacts } from './remote-parts.ts';
import type { ThreadOptions } from './thread-options.ts';

/** A listener of the service, as each thread knows it. */
export interface ThreadListener {
  readonly address: ListenAddress;
  /** The thread listens itself, on the port that all threads share; otherwise main hands connections over. */
  readonly shares: boolean;
}

/** What a thread is given when it starts: `workerData`. It has neither credentials of stores nor secrets of sinks. */
export interface ThreadData {
  readonly number: number;
  readonly link: StoresLink;
  /** Counters that all threads share. */
  readonly table: SharedArrayBuffer;
  readonly calls: MessagePort;
  readonly options: ThreadOptions;
  /** The listener of WebTransport, for the thread that has it. */
  readonly webtransport?: WebTransportOptions;
  readonly sinks: readonly SinkFacts[];
  /** What main has and carries out: code of the embedder, the console's client at the identity provider. */
  readonly asks: Readonly<Record<'clientRpc' | 'authorizer' | 'apiRpc' | 'login', boolean>>;
  /** Of the identity provider. */
  readonly issuer: string | undefined;
  readonly run: RunFacts;
  readonly listeners: readonly ThreadListener[];
}
