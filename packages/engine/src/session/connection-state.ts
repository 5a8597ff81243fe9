import type { ClientInfo } from '@msg/protocol';
import type { ConnectDecision, RefreshDecision } from '../policy.ts';
import { type ClientName, NO_NAME } from './client-names.ts';
import type { Lifetime } from './lifetime.ts';

/** Client protocol 6.1. `rejected`: the connect got an error reply, and no more commands are read. */
export type ConnectionPhase = 'open' | 'connecting' | 'connected' | 'rejected' | 'closed';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * The phase of a connection (open, connecting, connected or rejected, closed), its user and its credentials. The
 * transitions are methods; no other code writes this state.
 */
export class ConnectionState {
  /** Connection id, a UUID v4. */
  readonly id: string;
  #phase: ConnectionPhase = 'open';
  #user = '';
  #info: Uint8Array | null = null;
  #policyState: unknown = undefined;
  #lifetime: Lifetime | null = null;
  #resolvesChannelIds = false;
  #program: ClientName = NO_NAME;
  /** Monotonic seconds: a small integer takes no memory of its own. */
  #connectedAtS = 0;
  /** The policy is deciding about the expired credentials. */
  #renewing = false;

  constructor(id: string) {
    this.id = id;
  }

  get phase(): ConnectionPhase {
    return this.#phase;
  }

  /** User id, `''` for anonymous and before the policy decided. */
  get user(): string {
    return this.#user;
  }

  /** `conn_info` of the connection. */
  get info(): Uint8Array | null {
    return this.#info;
  }

  /** The `state` of the connect or refresh decision. */
  get policyState(): unknown {
    return this.#policyState;
  }

  /** How long the credentials last; null: without end. */
  get lifetime(): Lifetime | null {
    return this.#lifetime;
  }

  /** True when pushes may carry numeric channel ids; known from the connect command on. */
  get resolvesChannelIds(): boolean {
    return this.#resolvesChannelIds;
  }

  /** What the client program calls itself. */
  get program(): ClientName {
    return this.#program;
  }

  /** When the client got its connect reply, monotonic seconds. */
  get connectedAtS(): number {
    return this.#connectedAtS;
  }

  /** The moment of monotonic time at which the credentials may expire; infinite while the policy decides about them. */
  get expiresAt(): number {
    const { lifetime, phase } = this;
    return lifetime === null || phase !== 'connected' || this.#renewing ? NEVER : lifetime.dueAt;
  }

  /** How others see the connection, in a channel with this `chan_info` or without one. */
  clientInfo(channelInfo: Uint8Array | null): ClientInfo {
    return { user: this.#user, client: this.id, connInfo: this.#info, chanInfo: channelInfo };
  }

  /** Takes the connect command; false when it is not the first. */
  begin(resolvesChannelIds: boolean, program: ClientName = NO_NAME): boolean {
    if (this.#phase !== 'open') return false;
    this.#phase = 'connecting';
    this.#program = program;
    this.#resolvesChannelIds = resolvesChannelIds;
    return true;
  }

  /** The policy has decided about the user. */
  authenticated(user: string): void {
    this.#require('connecting');
    this.#user = user;
  }

  /** Takes info, state and lifetime of an accepting decision. */
  accepted(decision: Pick<ConnectDecision, 'info' | 'state'>, lifetime: Lifetime | null): void {
    this.#require('connecting');
    this.#info = decision.info ?? null;
    this.#policyState = decision.state;
    this.#lifetime = lifetime;
  }

  /** The client has the connect reply. @param now monotonic milliseconds */
  connected(now = 0): void {
    this.#require('connecting');
    this.#phase = 'connected';
    this.#connectedAtS = Math.floor(now / 1000);
  }

  /** The client has an error reply to its connect. */
  rejected(): void {
    this.#phase = 'rejected';
  }

  /** Takes new credentials. Members that the decision leaves out stay, except the lifetime. */
  refreshed(decision: RefreshDecision, lifetime: Lifetime | null): void {
    this.#lifetime = lifetime;
    if (decision.info !== undefined) this.#info = decision.info;
    if ('state' in decision) this.#policyState = decision.state;
  }

  /** The policy starts deciding about the expired credentials. */
  renewalBegan(): void {
    this.#renewing = true;
  }

  /** The policy has decided about the expired credentials. */
  renewalEnded(): void {
    this.#renewing = false;
  }

  /** Ends the connection; returns whether it was connected. */
  closed(): boolean {
    const wasConnected = this.#phase === 'connected';
    this.#phase = 'closed';
    return wasConnected;
  }

  #require(phase: ConnectionPhase): void {
    if (this.#phase !== phase) throw new Error(`the connection must be ${phase}; it is ${this.#phase}`);
  }
}
