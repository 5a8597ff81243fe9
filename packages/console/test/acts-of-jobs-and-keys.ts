import type { Act } from './acts.ts';
import type { Service } from './service.ts';

const SPARE = 'spare';
const SLOW = 'slow';
const ofSink = (sink: string): string => `dead-letters/${sink}`;
const schemaOf = (pattern: string, description = ''): string =>
  JSON.stringify({ pattern, description, aspects: { status: {} } });

/** What is acted on: each is made, and answers how it is called. */
function thingsOf(service: () => Service) {
  const rpc: Service['rpc']['call'] = (...call) => service().rpc.call(...call);
  /** Texts of tokens, by their ids. */
  const tokens = new Map<string, string>();
  /** Clients that were recorded. */
  const recorded = new Set<string>();
  const closed = async (which: string): Promise<string> => {
    const name = `public:same.closed.${which}`;
    await rpc('OpenPublic', { name });
    await rpc('CloseChannel', { name });
    return name;
  };
  const client = async (): Promise<string> => {
    await service().connect(await service().accessOf('recorded'));
    const { connections } = await rpc('ListConnections', { user: 'recorded' });
    const id = connections.find(row => !recorded.has(row.client))?.client ?? '';
    recorded.add(id);
    return id;
  };
  const token = async (): Promise<string> => {
    const text = await service().accessOf('same');
    const { jti } = JSON.parse(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()) as {
      readonly jti: string; // our own token
    };
    tokens.set(jti, text);
    return jti;
  };
  const key = async (): Promise<string> => (await rpc('GenerateKey', {})).id;
  /** The only key that waits to sign: the page promotes that one. */
  const waitingKey = async (): Promise<string> => {
    for (const { kid, role, promoted_at: promoted } of (await rpc('KeyUsage', {})).keys)
      if (role === 'verify-only' && promoted === '') await rpc('RetireKey', { id: kid });
    return key();
  };
  const group = async (which: string): Promise<string> => {
    await service().park(SPARE, 'http://127.0.0.1:9/group', { order: which });
    return (await rpc('DlqGroups', { sink: SPARE })).groups[0]?.group ?? '';
  };
  /** The letters of a sink when no job sends them. */
  const idle = async (): Promise<string> => {
    for (;;) {
      const { jobs } = await rpc('DlqJobs', {});
      if (jobs.every(({ ended_at: end }) => end !== '')) return SPARE;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  };
  const lettersOf = async (which: string): Promise<string> => {
    if (which === 'a') await service().park(SPARE, 'http://127.0.0.1:9/all', { order: 1 });
    return idle();
  };
  const job = async (which: string): Promise<string> => {
    await idle();
    for (const order of [1, 2]) await service().park(SLOW, `http://127.0.0.1:9/${which}`, { order });
    const begun = await rpc('DlqRedrive', { sink: SLOW, all: true, per_second: 0.1, concurrency: 1 });
    return begun.job?.id ?? '';
  };
  const version = async (which: string): Promise<string> => {
    const pattern = `public:same.version.${which}`;
    await rpc('RegisterSchema', { schema: JSON.parse(schemaOf(pattern)) });
    return pattern;
  };
  return { closed, client, token, tokens, key, waitingKey, group, lettersOf, job, version };
}

/** Acts with a recording, a token, a signing key, a schema, a job, or many letters. */
export function laterActsOf(service: () => Service): readonly Act[] {
  const { closed, client, token, tokens, key, waitingKey, group, lettersOf, job, version } =
    thingsOf(service);
  return [
    {
      method: 'OpenPublic',
      make: closed,
      page: name => `channels/${encodeURIComponent(name)}`,
      button: /^Open again…/,
      verb: /^Open channel$/,
    },
    {
      method: 'StartRecording',
      make: client,
      page: id => `connections/${id}`,
      button: /^Record$/,
      sees: 'Stop recording',
      goesOn: true,
    },
    {
      method: 'RevokeToken',
      make: token,
      page: () => 'tokens',
      before: jti => ({ '#token-text': tokens.get(jti) ?? '' }),
      button: /^Revoke this token…/,
      fields: () => ({ '#revoke-why': 'leaked' }),
      verb: /^Revoke token$/,
    },
    {
      method: 'RetireKey',
      make: key,
      page: kid => `keys?key=${kid}`,
      button: /^Retire…/,
      fields: kid => ({ '#confirm-typed': kid }),
      verb: /^Retire key$/,
    },
    { method: 'PromoteKey', make: waitingKey, page: () => 'keys', button: /^Promote key/ },
    {
      method: 'RegisterSchema',
      make: which => Promise.resolve(`public:same.fresh.${which}`),
      page: () => 'schemas',
      button: /^Register…/,
      fields: pattern => ({ '#schema-text': schemaOf(pattern) }),
      files: pattern => ({ 'schema.json': schemaOf(pattern) }),
      verb: /^Register schema$/,
    },
    {
      method: 'UpdateSchema',
      make: version,
      page: pattern => `schemas/${encodeURIComponent(pattern)}`,
      button: /^New version…/,
      fields: pattern => ({ '#schema-text': schemaOf(pattern, 'the second') }),
      files: pattern => ({ 'schema.json': schemaOf(pattern, 'the second') }),
      verb: /^Update schema$/,
    },
    {
      method: 'DlqDiscard',
      make: group,
      page: () => ofSink(SPARE),
      button: /^Discard…/,
      verb: /^Discard 1 letter$/,
    },
    {
      method: 'DlqRedrive',
      make: lettersOf,
      page: ofSink,
      button: /^Redrive all/,
      verb: /^Redrive 1 letter$/,
    },
    {
      method: 'DlqJobStop',
      make: job,
      page: () => ofSink(SLOW),
      button: /^Stop$/,
      sees: 'Stopped',
    },
  ];
}
