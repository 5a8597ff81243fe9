import { TWIRP_PREFIX } from '@msg/core/internal';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { apiSettings } from '#src/api/options.ts';
import { serviceDocument } from '#src/http/openapi/document.ts';

/** One call of the RPC as it went over the wire. */
export interface RecordedCall {
  readonly path: string;
  readonly request: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** A `fetch` that keeps the calls of the RPC which it makes. */
export function recordCalls(): {
  readonly calls: readonly RecordedCall[];
  readonly recordingFetch: typeof globalThis.fetch;
} {
  const calls: RecordedCall[] = [];
  const recordingFetch: typeof globalThis.fetch = async (url, init) => {
    const answer = await globalThis.fetch(url, init);
    const path = new URL(String(url)).pathname;
    if (path.startsWith(TWIRP_PREFIX) && typeof init?.body === 'string') {
      const { status } = answer;
      calls.push({ path, request: JSON.parse(init.body), status, answer: await answer.clone().json() });
    }
    return answer;
  };
  return { calls, recordingFetch };
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({
  $id: 'openapi',
  ...serviceDocument({ version: 'test', prefix: '', api: apiSettings({ allowQueryKey: true }) }),
});

/** A JSON Pointer as part of a URI. */
function pointer(...parts: readonly (string | number)[]): string {
  return parts
    .map(part => `/${encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

/** What the document says against a call; nothing when it is as described. */
export function againstDocument({ path, request, status, answer }: RecordedCall): string[] {
  const operation = pointer('paths', path, 'post');
  const schema = pointer('content', 'application/json', 'schema');
  const parts = [
    [`${operation}/requestBody${schema}`, request],
    [`${operation}${pointer('responses', status)}${schema}`, answer],
  ] as const;
  return parts.flatMap(([place, value]) => {
    // A refused request may be wrong on purpose.
    if (status !== 200 && value === request) return [];
    const validate = ajv.compile({ $ref: `openapi#${place}` });
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${place} ${instancePath} ${message}`);
  });
}
