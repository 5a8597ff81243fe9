import { int32, int64, list, message, text } from '@msg/foundation/shape';
import { missingNode } from './messages.ts';

// Messages of the use of signing keys (console, section 7.6). Member names are the wire's; times are RFC 3339 or empty.

const byType = message({ access: text, refresh: text, mgmt: text });

export const keyUsageResponse = message({
  keys: list(
    message({
      kid: text,
      /** `active`, `verify-only`, or `retired`, which is listed for a day. */
      role: text,
      /** Empty for a retired key, as the fingerprint. */
      alg: text,
      fingerprint: text,
      created_at: text,
      promoted_at: text,
      demoted_at: text,
      retired_at: text,
      /** The latest end of the tokens that were issued under it. */
      issued_until: byType,
      /** When a token of it last verified. */
      seen_last: byType,
      live_connections: int32,
      live_subscriptions: int32,
      /** Of the console. */
      live_sessions: int32,
      /** At most 50, the most recent first; there are at least these. */
      holders: list(message({ sub: text, type: text, last_seen: text, expires_unix: int64 })),
      /** `active`, `safe` to retire, `in_use`, `wait`, or `unknown`. */
      verdict: text,
      wait_until: text,
      reason: text,
    }),
  ),
  missing_nodes: list(missingNode),
});
