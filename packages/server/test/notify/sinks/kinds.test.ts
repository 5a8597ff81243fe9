import { MailServer } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { SINK_KINDS } from '#src/notify/sinks/kinds.ts';
import { type SinkKind, sinkKind } from '#src/notify/sinks/sink-kind.ts';
import type { PushFetch } from '#src/notify/sinks/webpush/push-fetch.ts';
import type { WebPushSettings } from '#src/notify/sinks/webpush/settings.ts';
import { optionsOf, WebPushSink } from '#src/notify/sinks/webpush/sink.ts';
import { SINK_CONTRACT } from '#src/testing/sink-contract.ts';
import type { SinkCondition, SinkDestination } from '#src/testing/sink-destination.ts';
import type { SinkSubject } from '#src/testing/sink-rig.ts';
import { pushService, TRUSTING, VAPID } from './support/push-service.ts';

const MAIL = {
  'takes it': undefined,
  'cuts the connection': { stage: 'data', does: 'drop' },
  'never answers': { stage: 'rcpt', does: 'hang' },
  'is busy': { stage: 'rcpt', does: { code: 451, text: 'later' } },
  'refuses for good': { stage: 'rcpt', does: { code: 550, text: 'no such user' } },
} as const;

async function mailDestination(condition: SinkCondition): Promise<SinkDestination> {
  const server = new MailServer();
  server.fault = MAIL[condition];
  const addr = await server.listen();
  return {
    settings: { smtp_addr: addr, from: 'shop@example.com' },
    arrivals: () => server.connections,
    close: () => server.close(),
  };
}

const PUSH = {
  'takes it': { status: 201 },
  'cuts the connection': 'reset',
  'never answers': 'hang',
  'is busy': { status: 503 },
  'refuses for good': { status: 400 },
} as const;

async function pushDestination(condition: SinkCondition): Promise<SinkDestination> {
  const { server, origin } = await pushService(PUSH[condition]);
  pushOrigin = origin;
  return {
    settings: { vapid_subject: 'mailto:ops@example.com', vapid_private_key: VAPID.privateKey },
    arrivals: () => server.received.length,
    close: () => server.close(),
  };
}

/** Where the push service of the case listens: the recipient of the row names another address. */
let pushOrigin = '';

/** The kind, with sinks that trust the certificate of the push service of the case. */
function trusting(kind: SinkKind): SinkKind {
  const fetch: PushFetch = (url, init) => TRUSTING(new URL(new URL(url).pathname, pushOrigin).href, init);
  return {
    ...kind,
    load: async () => ({
      create: (settings, parts) =>
        new WebPushSink({ ...optionsOf(settings as WebPushSettings, parts), fetch }),
    }),
  };
}

/** Destinations of the kinds that do not post over HTTP. */
const DESTINATIONS: Readonly<Record<string, SinkSubject['open']>> = {
  email: mailDestination,
  webpush: pushDestination,
};

describe.each(SINK_KINDS.map(kind => [kind.kind, kind] as const))('sink kind %s', (name, kind) => {
  const open = DESTINATIONS[name];
  const subject: SinkSubject = {
    kind: name === 'webpush' ? trusting(kind) : kind,
    ...(open === undefined ? {} : { open }),
  };
  it.each(SINK_CONTRACT.map(({ name, holds }) => [name, holds] as const))('%s', (_, holds) => holds(subject));
});

/** Posts, and has one flaw. */
function flawed(flaw: 'no time limit' | 'shows the url' | 'deaf to aborts' | 'swallows failures') {
  return sinkKind({
    kind: 'flawed',
    settings: { url: { type: 'url', help: 'where to', required: true, secret: true } },
    load: async () => ({
      create: ({ url }, { name, clock }) => ({
        name,
        decodeRecipient: stored => stored,
        async send(_recipient, _message, { signal }) {
          const limit = flaw === 'no time limit' ? [] : [clock.deadline(1000)];
          const caller = signal === undefined || flaw === 'deaf to aborts' ? [] : [signal];
          const ended = AbortSignal.any([...limit, ...caller]);
          try {
            const { status } = await fetch(url, { method: 'POST', signal: ended });
            if (status >= 300) throw new Error(`http ${status} ${flaw === 'shows the url' ? url : ''}`);
          } catch (error) {
            if (flaw !== 'swallows failures') throw error;
          }
        },
      }),
    }),
  });
}

describe('the suite of sinks', () => {
  it.each([
    ['no time limit', /time limit on the injected clock/],
    ['shows the url', /every attempt/],
    ['swallows failures', /every attempt/],
    ['deaf to aborts', /aborts ends at once/],
  ] as const)(
    'fails for a kind with the flaw "%s"',
    async (flaw, promise) => {
      const failed: string[] = [];
      for (const { name, holds } of SINK_CONTRACT) {
        await holds({ kind: flawed(flaw) }).catch(() => failed.push(name));
      }
      expect(failed).toContainEqual(expect.stringMatching(promise));
    },
    60_000,
  );

  it('fails for a kind that has neither a url nor a destination', async () => {
    const pigeon = sinkKind({
      kind: 'pigeon',
      settings: {},
      load: async () => ({ create: (_settings, { name }) => ({ name, send: async () => {} }) }),
    });
    const [first] = SINK_CONTRACT;
    await expect(first?.holds({ kind: pigeon })).rejects.toThrow('open a destination for it');
  });
});
