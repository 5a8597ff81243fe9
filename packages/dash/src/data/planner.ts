import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { isJsonObject, type Json, type JsonObject } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { ResolvedConnection } from '../resolve/tree.ts';
import { connectionSettings } from './connection-settings.ts';
import type { TimeWindow } from './contract.ts';
import type { AllowedOrigins } from './dial/allowed-origins.ts';
import type { Query } from './queries.ts';
import type { Secrets } from './secrets.ts';
import type { DataSourceKind, QueryPlan } from './source.ts';

/** Width of an item that was not measured, in pixels. */
const USUAL_WIDTH = 600;

/** What a page says about its questions. */
export interface PageView {
  readonly window?: TimeWindow | undefined;
  readonly width?: number | undefined;
}

/** Makes queries of bindings, and refuses those that must not be asked, before anything is dialled. */
export class Planner {
  readonly #clock: Clock;
  readonly #allowed: AllowedOrigins;
  readonly #secrets: Secrets;

  constructor(clock: Clock, allowed: AllowedOrigins, secrets: Secrets) {
    this.#clock = clock;
    this.#allowed = allowed;
    this.#secrets = secrets;
  }

  /** @throws DashError QUERY_INVALID, QUERY_HOST_FORBIDDEN, QUERY_SECRET_FORBIDDEN, SECRET_MISSING. */
  plan(
    kind: DataSourceKind,
    connection: ResolvedConnection,
    stored: JsonObject | undefined,
    { window, width = USUAL_WIDTH }: PageView,
  ): Query {
    const { config = {}, type } = connection;
    this.requireAllowed(kind, connection);
    const query = stored ?? {};
    const question = { config, query, window, now: this.#clock.now(), width };
    const plan: QueryPlan =
      kind.plan?.(question) ?? defined({ query, window: kind.timed ? window : undefined });
    const connectionKey = sortedText([type.id, config]);
    const timelessKey = sortedText([connectionKey, plan.query]);
    const span = plan.window === undefined ? '' : `${plan.window.from} ${plan.window.to}`;
    const settings = connectionSettings(config);
    const freshMs = kind.live === true ? 0 : settings.freshMs;
    return {
      ...{ kind, connection, plan, connectionKey, timelessKey, timeoutMs: settings.timeoutMs, freshMs },
      key: `${timelessKey}${span}`,
    };
  }

  /** @throws DashError QUERY_INVALID, QUERY_HOST_FORBIDDEN, QUERY_SECRET_FORBIDDEN, SECRET_MISSING. */
  requireAllowed({ addressOf }: DataSourceKind, { config = {}, secrets = [] }: ResolvedConnection): void {
    if (addressOf === undefined) return;
    const written = addressOf(config);
    const address = addressOf(this.#secrets.fill(config));
    if (typeof address !== 'string') throw new DashError('QUERY_INVALID', 'The connection has no url.', {});
    this.#allowed.require(address, typeof written === 'string' ? written : undefined, secrets);
  }
}

/** JSON text that is equal for equal data, whatever the order of its members. */
export function sortedText(value: Json): string {
  return JSON.stringify(value, (_, member: Json) =>
    isJsonObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
