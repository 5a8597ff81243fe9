import { type Json, type JsonObject, ownMember } from '../../document/json.ts';
import type { DataRows } from '../contract.ts';
import { askHttp, type HttpQuestion } from '../dial/http-request.ts';
import { parseJson } from '../dial/json-body.ts';
import { originOfConnection } from '../dial/origin.ts';
import type { DataRequest, DataSourceKind, SourceTools } from '../source.ts';
import { objectMember, readHeaders, refuseStatus } from './requests.ts';
import { rowsOfJson } from './rows.ts';

/** JSON over HTTP (page and review 5.4). */
export const HTTP: DataSourceKind = {
  type: 'http',
  since: '1.1.0',
  atHand: false,
  timed: false,
  waitsForPerson: ({ config = {} }) => ownMember(config, 'method') === 'POST',
  addressOf: config => ownMember(config, 'url'),
  open: tools => ({ ask: request => rowsFrom(tools, request) }),
};

async function rowsFrom(tools: SourceTools, request: DataRequest): Promise<DataRows> {
  const answer = await askHttp(tools, questionOf(request));
  refuseStatus(tools, answer);
  return rowsOfJson(parseJson(answer.body), objectMember(request.config, 'rows'));
}

function questionOf({ config, query, signal }: DataRequest): HttpQuestion {
  const origin = originOfConnection(config);
  const headers = readHeaders(config);
  const isPost = ownMember(config, 'method') === 'POST';
  const parameters = Object.assign({}, objectMember(config, 'query'), isPost ? {} : query);
  const path = withParameters(origin.rest, parameters);
  if (!isPost) return { origin, path, method: 'GET', headers, signal };
  const body = JSON.stringify({ ...objectMember(config, 'body'), ...query });
  const typed = { 'content-type': 'application/json', ...headers };
  return { origin, path, method: 'POST', headers: typed, body, signal };
}

/** Path and query of an address with further parameters, which replace those of the same name; null leaves one out. */
function withParameters(rest: string, parameters: JsonObject): string {
  const url = new URL(`http://any${rest}`);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name);
    else url.searchParams.set(name, textOf(value));
  }
  return `${url.pathname}${url.search}`;
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
