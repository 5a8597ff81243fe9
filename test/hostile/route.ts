import type { RawRequest } from '@msg/testkit/hostile';

/** What an exchange on a route becomes: one answer, a held answer, a WebSocket. */
export type RouteKind = 'answer' | 'stream' | 'websocket';

/** One thing a peer can ask a target for: the request of a well-behaved client. */
export interface AttackedRoute {
  /** Method and path, as the report shows them. */
  readonly name: string;
  readonly kind: RouteKind;
  readonly request: Required<Pick<RawRequest, 'method' | 'target'>> & RawRequest;
}
