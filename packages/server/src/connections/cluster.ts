import { processOf } from '@msg/engine/internal';
import type { NodeSurveys, SurveyQuestion, SurveyResult } from '../realtime/node-surveys.ts';
import type { ConnectionDetails, LocalConnections, LocalPage, PlacedRow, Target, UserRow } from './local.ts';
import { type ConnectionQuery, comparePositions } from './query.ts';
import type { PresenceRow } from './rows.ts';
import { placeOfUser } from './user-order.ts';

interface UsersQuestion {
  readonly prefix: string;
  readonly limit: number;
  readonly after: string;
}
interface PresenceQuestion {
  readonly channel: string;
  readonly limit: number;
  readonly after: string;
}
interface DisconnectQuestion {
  readonly target: Target;
  readonly reconnect: boolean;
  readonly reason: string;
}
interface UnsubscribeQuestion {
  readonly target: Target;
  readonly channel: string;
}
interface Counted<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

const PAGE: SurveyQuestion<ConnectionQuery, LocalPage> = { operation: 'msg_connections' };
const DETAILS: SurveyQuestion<{ readonly client: string }, ConnectionDetails | null> = {
  operation: 'msg_connection',
};
const USERS: SurveyQuestion<UsersQuestion, Counted<UserRow>> = { operation: 'msg_users' };
const PRESENCE: SurveyQuestion<PresenceQuestion, Counted<PresenceRow>> = { operation: 'msg_presence' };
const DISCONNECT: SurveyQuestion<DisconnectQuestion, number> = { operation: 'msg_disconnect' };
const UNSUBSCRIBE: SurveyQuestion<UnsubscribeQuestion, number> = { operation: 'msg_unsubscribe' };

type Missing = SurveyResult<unknown>['missing'];

/** A page of rows of all nodes that answered. */
export interface ClusterPage<Row> {
  readonly rows: readonly Row[];
  /** Matches of the nodes that answered. */
  readonly total: number;
  /** Further rows follow. */
  readonly more: boolean;
  readonly missing: Missing;
}

/** A user and its connections on all nodes that answered. */
export interface ClusterUserRow extends UserRow {
  readonly nodes: readonly string[];
}

/** A number of all nodes that answered. */
export interface ClusterCount {
  readonly count: number;
  readonly missing: Missing;
}

/** The connections of all nodes: each answers for its own. */
export class ClusterConnections {
  readonly #surveys: NodeSurveys;

  constructor(local: LocalConnections, surveys: NodeSurveys) {
    this.#surveys = surveys;
    surveys.answer(PAGE, query => local.page(query));
    surveys.answer(DETAILS, ({ client }) => local.details(client) ?? null);
    surveys.answer(USERS, ({ prefix, limit, after }) => local.users(prefix, limit, after));
    surveys.answer(PRESENCE, ({ channel, limit, after }) => local.presence(channel, limit, after));
    surveys.answer(DISCONNECT, ({ target, reconnect, reason }) =>
      local.disconnect(target, reconnect, reason),
    );
    surveys.answer(UNSUBSCRIBE, ({ target, channel }) => local.unsubscribe(channel, target));
  }

  /** @param node absent: all nodes */
  async page(query: ConnectionQuery, node?: string): Promise<ClusterPage<PlacedRow>> {
    const { answers, missing } = await this.#surveys.ask(PAGE, query, node);
    return joined([...answers.values()], query.limit, comparePositions(query.descending), missing);
  }

  /** The connection, on whichever node it is. */
  async get(
    client: string,
  ): Promise<{ readonly details: ConnectionDetails | undefined; readonly missing: Missing }> {
    const { answers, missing } = await this.#surveys.ask(DETAILS, { client });
    return { details: [...answers.values()].find(answer => answer !== null) ?? undefined, missing };
  }

  async users(prefix: string, limit: number, after: string): Promise<ClusterPage<ClusterUserRow>> {
    const { answers, missing } = await this.#surveys.ask(USERS, { prefix, limit, after });
    const users = new Map<string, ClusterUserRow>();
    for (const [node, { rows }] of answers) {
      for (const { user, connections } of rows) {
        const { connections: others, nodes } = users.get(user) ?? { connections: 0, nodes: [] };
        users.set(user, {
          user,
          connections: others + connections,
          nodes: [...new Set([...nodes, processOf(node)])],
        });
      }
    }
    const rows = Array.from(users.values(), row => ({ row, place: placeOfUser(row.user) }))
      .sort((a, b) => (a.place < b.place ? -1 : 1))
      .map(({ row }) => row);
    const pages = [...answers.values()];
    // A user of two nodes is one user: the largest number is the least that there can be.
    const total = pages.reduce(
      (most, page) => Math.max(most, page.total),
      rows.length > limit ? limit + 1 : rows.length,
    );
    return { rows: rows.slice(0, limit), total, more: rows.length > limit, missing };
  }

  async presence(channel: string, limit: number, after: string): Promise<ClusterPage<PresenceRow>> {
    const { answers, missing } = await this.#surveys.ask(PRESENCE, { channel, limit, after });
    return joined([...answers.values()], limit, (a, b) => (a.client < b.client ? -1 : 1), missing);
  }

  async disconnect(target: Target, reconnect: boolean, reason: string): Promise<ClusterCount> {
    return counted(await this.#surveys.ask(DISCONNECT, { target, reconnect, reason }));
  }

  async unsubscribe(channel: string, target: Target): Promise<ClusterCount> {
    return counted(await this.#surveys.ask(UNSUBSCRIBE, { target, channel }));
  }
}

/** Each node gave its first rows, so the first of all are among them. */
function joined<Row>(
  pages: readonly Counted<Row>[],
  limit: number,
  compare: (a: Row, b: Row) => number,
  missing: Missing,
): ClusterPage<Row> {
  const rows = pages.flatMap(page => page.rows).sort(compare);
  const total = pages.reduce((sum, page) => sum + page.total, 0);
  return { rows: rows.slice(0, limit), total, more: rows.length > limit, missing };
}

function counted({ answers, missing }: SurveyResult<number>): ClusterCount {
  return { count: [...answers.values()].reduce((sum, count) => sum + count, 0), missing };
}
