import { isJsonObject, type Json, type JsonObject, ownMember } from '../../document/json.ts';
import { DashError } from '../../errors.ts';
import type { HttpAnswer } from '../dial/http-request.ts';
import { parseJson } from '../dial/json-body.ts';
import { responseInvalid } from '../dial/response-body.ts';
import { refuseStatus } from '../http/requests.ts';
import type { SourceTools } from '../source.ts';

/** What Prometheus answers to one expression. */
export interface PrometheusAnswer {
  readonly resultType: string;
  readonly result: Json;
  /** What Prometheus says besides the result. */
  readonly warnings: readonly string[];
}

/** @throws DashError QUERY_FAILED `{errorType, reason}`, QUERY_RESPONSE_INVALID. */
export function readAnswer(tools: SourceTools, answer: HttpAnswer): PrometheusAnswer {
  const body = bodyOf(tools, answer);
  if (ownMember(body, 'status') === 'error') throw refused(tools, body);
  refuseStatus(tools, answer);
  const data = ownMember(body, 'data');
  const resultType = isJsonObject(data) ? ownMember(data, 'resultType') : undefined;
  const result = isJsonObject(data) ? ownMember(data, 'result') : undefined;
  if (typeof resultType !== 'string' || !Array.isArray(result)) {
    throw responseInvalid('it is not an answer of Prometheus', '/data');
  }
  const warnings = ['warnings', 'infos'].flatMap(member => textsOf(ownMember(body, member)));
  return { resultType, result, warnings: warnings.map(text => tools.upstreamText(text)) };
}

/** Prometheus answers an error as JSON as well; a proxy before it does not. */
function bodyOf(tools: SourceTools, answer: HttpAnswer): JsonObject {
  try {
    const body = parseJson(answer.body);
    if (isJsonObject(body)) return body;
  } catch (error) {
    refuseStatus(tools, answer);
    throw error;
  }
  refuseStatus(tools, answer);
  throw responseInvalid('it is not an answer of Prometheus', '');
}

function refused({ upstreamText }: SourceTools, body: JsonObject): DashError {
  const [errorType, reason] = ['errorType', 'error'].map(member =>
    upstreamText(String(ownMember(body, member))),
  );
  const message = `Prometheus refused the query: ${reason}.`;
  return new DashError('QUERY_FAILED', message, { errorType, reason });
}

function textsOf(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter(text => typeof text === 'string').slice(0, 20) : [];
}
