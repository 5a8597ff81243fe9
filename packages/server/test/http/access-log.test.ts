import { systemRandom } from '@msg/foundation/clock';
import { describe, expect, it } from 'vitest';
import { AccessLog, recordedRequests } from '#src/http/access-log.ts';

function recordOf(path: string, authorization?: string): Record<string, unknown> {
  const records: Record<string, unknown>[] = [];
  const log = new AccessLog(
    { info: fields => void records.push(fields), warn() {}, error() {} },
    systemRandom,
  );
  const request = { method: 'GET', headers: authorization === undefined ? {} : { authorization } };
  log.ended({ request, path, status: 200, durationMs: 1, clientAddress: '127.0.0.1', requestId: 'r' });
  return records[0] ?? {};
}

const tokenOf = (sub: string): string =>
  `Bearer a.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.c`;

describe('a request line in the log', () => {
  it('is cut at 1 KiB', () => {
    const path = `/${'x'.repeat(1023)}`;
    expect(recordOf(path)).toMatchObject({ path });
    expect(recordOf(`${path}yz`)).toMatchObject({ path });
    expect(recordOf(`/${'x'.repeat(15_000)}`)).toMatchObject({ path });
  });

  it('is cut between characters', () => {
    expect(recordOf(`/${'é'.repeat(600)}`)).toMatchObject({ path: `/${'é'.repeat(511)}` });
    expect(recordOf('😀'.repeat(300))).toMatchObject({ path: '😀'.repeat(256) });
  });

  it('has no more than that of a subject that a token claims', () => {
    expect(recordOf('/', tokenOf('u-1'))).toMatchObject({ bearer_subject: 'u-1' });
    expect(recordOf('/', tokenOf('u'.repeat(9000)))).toMatchObject({ bearer_subject: 'u'.repeat(1024) });
  });
});

describe('a long-lived connection', () => {
  const headers = {
    authorization: tokenOf('u-1'),
    traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    'x-request-id': 'of-the-caller',
    cookie: 'c'.repeat(4000),
  };

  it('has the record that its request would have, without its headers', () => {
    const records: Record<string, unknown>[] = [];
    const logger = { info: (fields: object) => void records.push({ ...fields }), warn() {}, error() {} };
    const log = new AccessLog(logger, systemRandom);
    const request = { method: 'GET', headers };
    const kept = log.keptOf(request);
    expect(JSON.stringify(kept).length).toBeLessThan(200);
    const end = { path: '/', status: 101, durationMs: 1, clientAddress: '127.0.0.1' };
    log.ended({ ...end, ...kept });
    log.ended({ ...end, request, requestId: 'of-the-caller' });
    expect(records[0]).toEqual(records[1]);
    expect(records[0]).toMatchObject({ bearer_subject: 'u-1', trace_id: 'a'.repeat(32) });
  });
});

it('one of very many has a record at debug level, where the logger has that', () => {
  const records: unknown[] = [];
  const note =
    (level: string) =>
    (fields: object): void =>
      void records.push([level, (fields as { path: string }).path]);
  const plain = { info: note('info'), warn() {}, error() {} };
  for (const logger of [
    plain,
    { ...plain, debug: note('debug') },
    { ...plain, httpRequest: note('request') },
  ]) {
    const log = new AccessLog(logger, systemRandom);
    const request = { method: 'POST', headers: {} };
    for (const isRoutine of [true, false])
      log.ended({
        request,
        path: isRoutine ? '/many' : '/few',
        status: 200,
        durationMs: 1,
        clientAddress: '',
        requestId: 'r',
        isRoutine,
      });
  }
  expect(records).toEqual([
    ['info', '/few'],
    ['debug', '/many'],
    ['info', '/few'],
    ['request', '/few'],
  ]);
});

describe('the requests that have a record', () => {
  const logged = (mode: 'on' | 'sampled' | 'off', sample: number, drawn: number): number[] => {
    const statuses: number[] = [];
    const logger = {
      info: (fields: object) => void statuses.push((fields as { status: number }).status),
      warn() {},
      error() {},
    };
    const random = { ...systemRandom, fraction: () => drawn };
    const log = new AccessLog(logger, random, recordedRequests({ mode, sample }));
    const request = { method: 'GET', headers: {} };
    for (const status of [101, 200, 304, 400, 401, 503])
      log.ended({ request, path: '/', status, durationMs: 1, clientAddress: '', requestId: 'r' });
    return statuses;
  };

  it.each([
    ['on', 0, 0.5, [101, 200, 304, 400, 401, 503]],
    ['off', 1, 0, []],
    ['sampled', 0.01, 0.005, [101, 200, 304, 400, 401, 503]],
    ['sampled', 0.01, 0.01, [400, 401, 503]],
    ['sampled', 0, 0, [400, 401, 503]],
  ] as const)('are those of %s with a share of %d, at %d', (mode, sample, drawn, statuses) => {
    expect(logged(mode, sample, drawn)).toEqual(statuses);
  });
});
