import type { ClientInfo } from '@msg/protocol';
import type { ConnectDecision, RefreshDecision } from '../policy.ts';
import type { Lifetime } from './lifetime.ts';

/** Client protocol 6.1. `rejected`: the connect was answered with an error, nothing is read any more. */
export type ConnectionPhase = 'open' | 'connecting' | 'connected' | 'rejected' | 'closed';

const NEVER = Number.POSITIVE_INFINITY;

/**
 * Who a connection belongs to and how far it has come: open, connecting, connected or rejected, closed. The transitions
 * are methods, and no other code writes what this holds.
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
  /** The policy is being asked about the expired credentials. */
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

  /** What the connect or refresh decision keeps for the policy. */
  get policyState(): unknown {
    return this.#policyState;
  }

  /** How long the credentials last; null: for ever. */
  get lifetime(): Lifetime | null {
    return this.#lifetime;
  }

  /** Pushes may carry numeric channel ids; known once the client has named itself. */
  get resolvesChannelIds(): boolean {
    return this.#resolvesChannelIds;
  }

  /** The moment of monotonic time at which the credentials may be over; infinite while the policy is being asked. */
  get expiresAt(): number {
    const { lifetime, phase } = this;
    return lifetime === null || phase !== 'connected' || this.#renewing ? NEVER : lifetime.dueAt;
  }

  /** How others see the connection, in a channel with this `chan_info` or without one. */
  clientInfo(channelInfo: Uint8Array | null): ClientInfo {
    return { user: this.#user, client: this.id, connInfo: this.#info, chanInfo: channelInfo };
  }

  /** The first connect command came. False when it is not the first. */
  begin(resolvesChannelIds: boolean): boolean {
    if (this.#phase !== 'open') return false;
    this.#phase = 'connecting';
    this.#resolvesChannelIds = resolvesChannelIds;
    return true;
  }

  /** The policy knows the user. */
  authenticated(user: string): void {
    this.#require('connecting');
    this.#user = user;
  }

  /** The credentials are good: what the decision keeps for the connection. */
  accepted(decision: Pick<ConnectDecision, 'info' | 'state'>, lifetime: Lifetime | null): void {
    this.#require('connecting');
    this.#info = decision.info ?? null;
    this.#policyState = decision.state;
    this.#lifetime = lifetime;
  }

  /** The connect was answered. */
  connected(): void {
    this.#require('connecting');
    this.#phase = 'connected';
  }

  /** The connect was answered with an error. */
  rejected(): void {
    this.#phase = 'rejected';
  }

  /** New credentials. What the decision leaves out stays, but for the lifetime. */
  refreshed(decision: RefreshDecision, lifetime: Lifetime | null): void {
    this.#lifetime = lifetime;
    if (decision.info !== undefined) this.#info = decision.info;
    if ('state' in decision) this.#policyState = decision.state;
  }

  /** The policy is asked to prolong the credentials. */
  renewalBegan(): void {
    this.#renewing = true;
  }

  /** The policy has answered. */
  renewalEnded(): void {
    this.#renewing = false;
  }

  /** The connection is over. Answers whether it was connected. */
  closed(): boolean {
    const wasConnected = this.#phase === 'connected';
    this.#phase = 'closed';
    return wasConnected;
  }

  #require(phase: ConnectionPhase): void {
    if (this.#phase !== phase) throw new Error(`the connection must be ${phase}; it is ${this.#phase}`);
  }
}
