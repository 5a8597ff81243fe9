/** Option `audit` of a service. Source: console, section 6. */
export interface AuditOptions {
  /** A call whose record cannot be stored is refused; default false: it is a warning. */
  readonly strict?: boolean;
  /** Records that a node without a shared store keeps, at least 1; default 1,000. */
  readonly ring?: number;
  /** A private channel that each record is published to; the service opens it and keeps it open. Default: none. */
  readonly channel?: string;
}
