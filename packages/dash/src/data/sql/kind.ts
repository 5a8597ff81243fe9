import { type Json, type JsonObject, numberMember, ownMember } from '../../document/json.ts';
import { connectionSettings } from '../connection-settings.ts';
import type { DataRows } from '../contract.ts';
import type { DataRequest, DataSource, DataSourceKind, QueryPlan, Question, SourceTools } from '../source.ts';
import { addressOf, dialledAddress } from './address.ts';
import { loadDriver } from './driver.ts';
import { refusalOf } from './refusals.ts';
import { SqlSession } from './session.ts';
import { SqlSessions } from './sessions.ts';
import { requireReading } from './statement.ts';

const STATEMENT_S = 5;
const USUAL_MOST_ROWS = 10_000;

/** PostgreSQL (page and review 5.5). */
export const SQL: DataSourceKind = {
  type: 'sql',
  atHand: false,
  timed: false,
  waitsForPerson: () => true,
  addressOf: dialledAddress,
  plan: planQuery,
  open: openSql,
};

/** @throws DashError QUERY_INVALID for a statement that may not only read. */
function planQuery({ query }: Question): QueryPlan {
  requireReading(textOf(query));
  return { query };
}

function openSql(tools: SourceTools): DataSource {
  const sessions = new SqlSessions(tools.clock);
  return {
    ask: request => rowsFrom(tools, sessions, request),
    close: () => sessions.close(),
  };
}

async function rowsFrom(tools: SourceTools, sessions: SqlSessions, request: DataRequest): Promise<DataRows> {
  const { config, query, connection, signal } = request;
  const address = addressOf(config);
  const driver = await loadDriver();
  const password = ownMember(config, 'password');
  const key = JSON.stringify(
    ['url', 'password', 'ssl'].map(name => ownMember(connection.config ?? {}, name)),
  );
  const session = sessions.take(
    key,
    () => new SqlSession(driver, tools, address, typeof password === 'string' ? password : undefined),
  );
  const searchPath = ownMember(config, 'searchPath');
  const question = {
    text: textOf(query),
    params: paramsOf(query),
    statementTimeoutMs: (numberMember(config, 'statementTimeout') ?? STATEMENT_S) * 1_000,
    timeoutMs: connectionSettings(config).timeoutMs,
    maxRows: numberMember(config, 'maxRows') ?? USUAL_MOST_ROWS,
    searchPath: typeof searchPath === 'string' ? searchPath : undefined,
  };
  try {
    return await session.ask(question, signal);
  } catch (error) {
    throw refusalOf(tools, error);
  } finally {
    sessions.giveBack(key, session);
  }
}

function textOf(query: JsonObject): string {
  const text = ownMember(query, 'text');
  return typeof text === 'string' ? text : '';
}

/** Values as PostgreSQL reads them; it knows from the statement what each is. */
function paramsOf(query: JsonObject): (string | null)[] {
  const params = ownMember(query, 'params');
  return (Array.isArray(params) ? params : []).map((value: Json) => (value === null ? null : String(value)));
}
