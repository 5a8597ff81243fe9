import { METHODS, MsgError } from '@msg/core';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Audit, type AuditedCall } from '#src/audit/audit.ts';
import type { AuditStore } from '#src/audit/contract.ts';
import { AuditRing } from '#src/audit/memory.ts';
import type { AuditRecord } from '#src/audit/record.ts';

const DEAD: AuditStore = {
  append: () => Promise.reject(new Error('the store is away')),
  list: () => ({ records: [] }),
};

let clock: ManualClock;
let ring: AuditRing;
let logged: AuditRecord[];
let failures: boolean[];

beforeEach(() => {
  clock = new ManualClock();
  ring = new AuditRing();
  logged = [];
  failures = [];
});

function auditOf(store: AuditStore = ring, strict = false): Audit {
  return new Audit({
    store,
    clock,
    random: systemRandom,
    strict,
    nodeId: () => 'node-a',
    onRecord: record => void logged.push(record),
    onFailed: (_error, _record, refused) => void failures.push(refused),
  });
}

function callOf(method: keyof typeof METHODS, request: object): AuditedCall {
  return {
    actor: 'ann',
    role: 'operator',
    via: 'rpc',
    method,
    rights: METHODS[method].rights,
    request,
    requestId: 'r-1',
    clientAddress: '10.0.0.7',
  };
}

const records = (): readonly AuditRecord[] => ring.list({ filter: {}, limit: 10 })?.records ?? [];

describe('a call', () => {
  it('is listed before what came earlier, also in the same millisecond', async () => {
    const audit = auditOf();
    const names = Array.from({ length: 40 }, (_, index) => `public:a.${index}`);
    for (const name of names) await audit.run(callOf('OpenPublic', { name }), () => undefined);
    const listed = ring.list({ filter: {}, limit: 40 })?.records.map(({ target }) => target);
    expect(listed).toEqual(names.map(name => `channel:${name}`).reverse());
  });

  it('names the first thing that the request names, of several that it may', async () => {
    const audit = auditOf();
    await audit.run(callOf('Disconnect', { client: '', user: 'bob', reason: 'left' }), () => undefined);
    await audit.run(callOf('Disconnect', { client: 'c-1', user: '' }), () => undefined);
    expect(records().map(({ target, detail }) => [target, detail])).toEqual([
      ['client:c-1', ''],
      ['user:bob', 'reason=left'],
    ]);
  });

  it('leaves its record in the store and in the log, with the same members', async () => {
    const answer = await auditOf().run(
      callOf('OpenPublic', { name: 'public:a.b', ttl_seconds: 60 }),
      async () => {
        await clock.advance(12);
        return 'opened';
      },
    );
    expect(answer).toBe('opened');
    const [record] = records();
    expect(record).toMatchObject({
      actor: 'ann',
      role: 'operator',
      via: 'rpc',
      method: 'OpenPublic',
      target: 'channel:public:a.b',
      detail: 'ttl_seconds=60',
      outcome: 'ok',
      duration_ms: 12,
      request_id: 'r-1',
      remote_addr: '10.0.0.7',
      node: 'node-a',
    });
    expect(logged).toEqual([record]);
    expect(Object.keys(record ?? {})).toHaveLength(13);
  });

  it('that fails leaves its code and rejects as it did', async () => {
    const refused = auditOf().run(callOf('DeleteChannel', { name: 'public:a.b' }), () => {
      throw new MsgError('MSG_AUTH_DENIED', 'no');
    });
    await expect(refused).rejects.toMatchObject({ code: 'MSG_AUTH_DENIED' });
    const broken = auditOf().run(callOf('DeleteChannel', { name: 'public:a.b' }), () =>
      Promise.reject(new Error('x')),
    );
    await expect(broken).rejects.toThrow('x');
    expect(
      records()
        .map(({ outcome }) => outcome)
        .toSorted(),
    ).toEqual(['MSG_AUTH_DENIED', 'MSG_INTERNAL']);
  });

  it('is about what its answer names, where the request cannot', async () => {
    await auditOf().run(callOf('GenerateKey', { alg: 'ES256' }), () => ({ id: 'k-1', secret: 'x' }));
    expect(records()).toMatchObject([{ target: 'kid:k-1', detail: 'alg=ES256' }]);
  });

  it('never leaves a secret or a long text', async () => {
    const jwt = `eyJ${'a'.repeat(40)}.eyJ${'b'.repeat(40)}.${'c'.repeat(43)}`;
    const key = `msgk_abcdefgh_${'x'.repeat(43)}`;
    const reason = `leaked ${jwt} and ${key} ${'ä'.repeat(300)}`;
    await auditOf().run(callOf('RevokeToken', { token_id: jwt, user_id: 'ben', reason }), () => ({}));
    const [record] = records();
    expect(JSON.stringify([record, logged])).not.toMatch(/aaaa|xxxx/);
    expect(record?.target).toBe('jti:(a secret)');
    expect(record?.detail).toMatch(/^user_id=ben, reason=leaked \(a secret\) and \(a secret\) ä+…$/);
    expect(Buffer.byteLength(record?.detail ?? '')).toBeLessThanOrEqual(256);
  });
});

describe('a record that is not stored', () => {
  it('is a warning, and the call goes on', async () => {
    expect(await auditOf(DEAD).run(callOf('ReloadKeys', {}), () => 1)).toBe(1);
    expect([failures, logged.map(({ outcome }) => outcome)]).toEqual([[false], ['ok']]);
  });

  it('refuses the call where the audit is strict: it does not run', async () => {
    let ran = false;
    const call = auditOf(DEAD, true).run(callOf('ReloadKeys', {}), () => {
      ran = true;
    });
    await expect(call).rejects.toMatchObject({
      code: 'MSG_BROKER_NOT_READY',
      message: 'the audit record of ReloadKeys cannot be stored, and audit.strict is on',
    });
    expect([ran, failures, logged]).toEqual([false, [true], []]);
  });

  it('is one that the store does not take in time', async () => {
    const silent: AuditStore = { ...DEAD, append: () => new Promise(() => {}) };
    const call = auditOf(silent).run(callOf('ReloadKeys', {}), () => 1);
    await clock.advance(2000);
    expect(await call).toBe(1);
    expect(failures).toEqual([false]);
  });
});

it('a strict audit knows of a call while it runs', async () => {
  const during: string[] = [];
  await auditOf(ring, true).run(callOf('ReloadKeys', {}), () => {
    during.push(...records().map(({ outcome }) => outcome));
  });
  expect([during, records().map(({ outcome }) => outcome)]).toEqual([['started'], ['ok']]);
});
