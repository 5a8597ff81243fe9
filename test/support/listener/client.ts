/** What one listener needs: the address of the service, its channel, and what it has to show for it. */
export interface Invitation {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly channel: string;
  /** An access token; absent for a public channel. */
  readonly access?: string;
  /** Redeemed by RefreshToken when the access token ends; absent: the application has no token callback. */
  readonly refresh?: string;
  /** Whether the connection or the subscription carries the tokens. The wrapper gives them to both. */
  readonly tokenOf: 'connection' | 'subscription';
}

/** A client that listens: what its application saw so far. */
export interface Listener {
  /** The `n` of each publication, as they came. */
  readonly numbers: readonly number[];
  /** The reason for which it ended, as the application is told it; `undefined`: it goes on. */
  readonly told: string | undefined;
  /** Whether each of its subscribes after a break was recovered; absent: its program does not say it. */
  readonly recoveries?: readonly boolean[];
  /** What its program or library said beside that: evidence for whoever reads a failure, never an outcome. */
  readonly notes: string;
  stop(): void;
}

/** A row of clients: how to start a listener of that kind with no code but what the README shows. */
export interface ListenerClient {
  readonly name: string;
  /** What this machine lacks; `undefined`: nothing. */
  missing(): string | undefined;
  /** Fetches and builds what the listener needs; called once. */
  prepare(): Promise<void>;
  listen(invitation: Invitation): Listener;
}

const NOTES_KEPT = 2000;

/** The notes with one more; the last of them count. */
export function noted(notes: string, text: string): string {
  return (notes + text).slice(-NOTES_KEPT);
}

/** Quicker than the defaults of the clients, which begin at half a second and grow to twenty. */
export const DELAYS_MS = { least: 20, most: 200 } as const;
