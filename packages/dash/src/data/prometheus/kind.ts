import { type JsonObject, ownMember } from '../../document/json.ts';
import type { DataRows } from '../contract.ts';
import { askHttp } from '../dial/http-request.ts';
import { originOfConnection } from '../dial/origin.ts';
import { objectMember, readHeaders } from '../http/requests.ts';
import type { DataRequest, DataSourceKind, SourceTools } from '../source.ts';
import { readAnswer } from './answer.ts';
import { type Expression, expressionsOf, planQuery } from './plan.ts';
import { tidyRows } from './rows.ts';

/** Prometheus, and what speaks its query interface (page and review 5.3). */
export const PROMETHEUS: DataSourceKind = {
  type: 'prometheus',
  atHand: false,
  timed: true,
  addressOf: config => ownMember(config, 'url'),
  plan: planQuery,
  open: tools => ({ ask: request => rowsFrom(tools, request) }),
};

async function rowsFrom(tools: SourceTools, request: DataRequest): Promise<DataRows> {
  const expressions = expressionsOf(request.query);
  const end = new AbortController();
  const signal = AbortSignal.any([request.signal, end.signal]);
  const asked = expressions.map(async expression => ({
    name: expression.name,
    answer: await answerOf(tools, { ...request, signal }, expression),
  }));
  try {
    const legend = ownMember(request.query, 'legend');
    return tidyRows(await Promise.all(asked), typeof legend === 'string' ? legend : undefined);
  } finally {
    end.abort(); // one failure is the outcome: the others are not waited for
  }
}

async function answerOf(tools: SourceTools, request: DataRequest, { expr }: Expression) {
  const { config, query, window, signal } = request;
  const origin = originOfConnection(config);
  const { pathname, search } = new URL(`http://any${origin.rest}`);
  const instant = ownMember(query, 'instant') === true;
  const answer = await askHttp(tools, {
    origin,
    path: `${pathname.replace(/\/$/, '')}/api/v1/${instant ? 'query' : 'query_range'}${search}`,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...basicHeader(config),
      ...readHeaders(config),
    },
    body: new URLSearchParams([
      ['query', expr],
      ...(instant
        ? [['time', seconds(window?.to)]]
        : [
            ['start', seconds(window?.from)],
            ['end', seconds(window?.to)],
            ['step', String(ownMember(query, 'step'))],
          ]),
    ]).toString(),
    signal,
  });
  return readAnswer(tools, answer);
}

function basicHeader(config: JsonObject): Record<string, string> {
  const { username, password } = objectMember(config, 'basic');
  if (username === undefined || password === undefined) return {};
  return {
    authorization: `Basic ${Buffer.from(`${String(username)}:${String(password)}`).toString('base64')}`,
  };
}

const seconds = (ms = 0): string => String(ms / 1_000);
