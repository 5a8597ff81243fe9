import type { Clock } from '@msg/foundation/clock';
import { freePort } from '@msg/testkit';
import { onTestFinished } from 'vitest';
import type { Sink } from '#src/notify/sinks/contract.ts';
import { EmailSink } from '#src/notify/sinks/email/sink.ts';
import { SlackSink } from '#src/notify/sinks/slack/sink.ts';
import { WebhookSink } from '#src/notify/sinks/webhook/sink.ts';
import { WebPushSink } from '#src/notify/sinks/webpush/sink.ts';
import { pushService, Subscription, TRUSTING, VAPID } from './push-service.ts';
import { hookServer, mailServer } from './servers.ts';

/** What a destination does, in words that hold for mail and for HTTP. */
export type Condition =
  | 'takes it'
  | 'is not there'
  | 'cuts the connection'
  | 'never answers'
  | 'is busy'
  | 'is throttling'
  | 'refuses for good'
  | 'sends elsewhere';

/** A sink and the real destination behind it. */
export interface Backend {
  readonly sink: Sink;
  readonly recipient: unknown;
  /** A recipient the sink refuses; `undefined` for a sink that ignores recipients. */
  readonly badRecipient: unknown;
  /** Sends that reached the destination, connections for a mail server. */
  arrivals(): number;
  /** Messages the destination has taken. */
  taken(): number;
  become(condition: Condition): void;
}

export type BackendName = 'email' | 'slack' | 'webhook' | 'webpush';

const HTTP = {
  'takes it': { status: 200 },
  'is not there': { status: 200 }, // another address is used
  'cuts the connection': 'reset',
  'never answers': 'hang',
  'is busy': { status: 503 },
  'is throttling': { status: 429 },
  'refuses for good': { status: 404 },
  'sends elsewhere': { status: 307, headers: { location: '/elsewhere' } },
} as const;

async function httpBackend(condition: Condition, create: (url: string) => Sink): Promise<Backend> {
  const { server, url } = await hookServer(HTTP[condition]);
  // Requests before the destination became one that takes them.
  let refused = condition === 'takes it' ? 0 : Number.NaN;
  return {
    sink: create(condition === 'is not there' ? `http://127.0.0.1:${await freePort()}/` : url),
    recipient: null,
    badRecipient: { url: 'not a url' },
    arrivals: () => server.received.length,
    taken: () => (Number.isNaN(refused) ? 0 : server.received.length - refused),
    become(next) {
      refused = next === 'takes it' ? server.received.length : Number.NaN;
      server.behaviour = HTTP[next];
    },
  };
}

const MAIL = {
  'takes it': undefined,
  'is not there': undefined, // another address is used
  'cuts the connection': { stage: 'data', does: 'drop' },
  'never answers': { stage: 'rcpt', does: 'hang' },
  'is busy': { stage: 'rcpt', does: { code: 451, text: 'later' } },
  'is throttling': { stage: 'connect', does: { code: 421, text: 'too many' } },
  'refuses for good': { stage: 'rcpt', does: { code: 550, text: 'no such user' } },
  'sends elsewhere': { stage: 'rcpt', does: { code: 551, text: 'user not local' } },
} as const;

async function mailBackend(condition: Condition, clock: Clock): Promise<Backend> {
  const { server, addr } = await mailServer();
  server.fault = MAIL[condition];
  const used = condition === 'is not there' ? `127.0.0.1:${await freePort()}` : addr;
  return {
    sink: new EmailSink({ addr: used, from: 'shop@example.com', clock }),
    recipient: { address: 'ann@example.com' },
    badRecipient: { address: 'a@example.com\r\nBcc: b@example.com' },
    arrivals: () => server.connections,
    taken: () => server.mails.length,
    become(next) {
      server.fault = MAIL[next];
    },
  };
}

const PUSH = { ...HTTP, 'refuses for good': { status: 400 } } as const;

async function pushBackend(condition: Condition, clock: Clock): Promise<Backend> {
  const { server, origin } = await pushService(PUSH[condition]);
  onTestFinished(() => server.close());
  const used = condition === 'is not there' ? `https://127.0.0.1:${await freePort()}` : origin;
  let refused = condition === 'takes it' ? 0 : Number.NaN;
  return {
    sink: new WebPushSink({
      vapidSubject: 'mailto:ops@example.com',
      vapidPrivateKey: VAPID.privateKey,
      allowPrivate: true,
      fetch: TRUSTING,
      clock,
    }),
    recipient: new Subscription(used).recipient,
    badRecipient: { endpoint: 'http://push.example.com/x' },
    arrivals: () => server.received.length,
    taken: () => (Number.isNaN(refused) ? 0 : server.received.length - refused),
    become(next) {
      refused = next === 'takes it' ? server.received.length : Number.NaN;
      server.behaviour = PUSH[next];
    },
  };
}

/** A sink over a real destination in some condition. The sink's own time limits run on `clock`. */
export async function backend(name: BackendName, condition: Condition, clock: Clock): Promise<Backend> {
  switch (name) {
    case 'email':
      return mailBackend(condition, clock);
    case 'slack': {
      const http = await httpBackend(condition, webhookUrl => new SlackSink({ webhookUrl, clock }));
      return { ...http, badRecipient: undefined };
    }
    case 'webhook':
      return httpBackend(condition, url => new WebhookSink({ url, clock }));
    case 'webpush':
      return pushBackend(condition, clock);
  }
}
