import { type Case, EVERYTHING, type Life, NEXT } from './case.ts';
import { until } from './patience.ts';

/** Its column: it tells with a code of its own that the user is signed out. */
const WRAPPER = '`@msg/client`';
const DECLARED = 'channels:\n  open:\n    - { name: public:shop.life, ttl: 1h }\n';
const SHORT_TTL_S = 1;
/** Publications, which come in a short distance until every client is subscribed, keep the channel for so long. */
const PRIVATE_TTL_S = 5;
/** Long enough for every client to be subscribed on a slow machine. */
const SHORT_ACCESS_S = 10;
const SILENCE_MS = 30_000;
const SILENT_PUBLISH_EVERY_MS = 2000;

/** The owner opens it again once everybody waits. */
async function restartAndOpen({ service, listeners, open }: Life): Promise<void> {
  await service.restart();
  await service.waiting(listeners);
  await open();
}

function becomes(state: string): ({ service, name }: Life) => Promise<void> {
  return ({ service, name }) => until(`it is ${state}`, async () => (await service.state(name)) === state);
}
const closed = becomes('closed');
const gone = becomes('unknown');
const createShortly = ({ open }: Life): Promise<void> => open(PRIVATE_TTL_S);

/** Renewed with a short TTL, it closes. */
async function close(life: Life): Promise<void> {
  await life.open(SHORT_TTL_S);
  await closed(life);
}

/** The name of a deleted channel is not to be had again as long as the process lives. */
async function deleteForGood({ service, name, open }: Life): Promise<void> {
  await service.call('DeleteChannel', { name });
  const refusal = await open().then(
    () => 'opened',
    (error: Error) => error.message,
  );
  if (!/MSG_CHANNEL_(?:NOT_FOUND|EXISTS)/.test(refusal)) throw new Error(`after its deletion: ${refusal}`);
}

/** The process forgets what was deleted. */
const deletedUntilRestart = (life: Life): Promise<void> =>
  life.service.away(async () => {
    await deleteForGood(life);
    await life.service.restart();
    await life.open();
  });

/** Publications go on while nothing reaches the listeners, and nothing tells them so. */
const silence = ({ service, publishMissed, missedByAll }: Life): Promise<void> =>
  service.silent(async () => {
    const end = Date.now() + SILENCE_MS;
    while (Date.now() < end) {
      await publishMissed();
      await new Promise(resolve => setTimeout(resolve, SILENT_PUBLISH_EVERY_MS));
    }
    missedByAll();
  });

async function rotate({ service }: Life): Promise<void> {
  const { id } = await service.call('GenerateKey', {});
  await service.call('PromoteKey', { id });
  await service.renewManagementToken();
}
type KeyUse = Readonly<{ kid: string; live_connections: number; live_subscriptions: number }>;

/** A client that has its new token sends it a moment later. */
const nobodyUsesFirst = ({ service }: Life): Promise<void> =>
  until('nobody is connected by the first key', async () => {
    const { keys } = (await service.call('KeyUsage', {})) as { keys: KeyUse[] };
    const first = keys.find(({ kid }) => kid === service.firstKey);
    return first?.live_connections === 0 && first.live_subscriptions === 0;
  });

async function retireFirst({ service }: Life): Promise<void> {
  await service.call('RetireKey', { id: service.firstKey });
}

/** What is declared needs nobody who opens it. */
const nothing = (): Promise<void> => Promise.resolve();

export const CASES: readonly Case[] = [
  {
    title: 'restart with a state directory, channel opened again',
    visibility: 'public',
    disturb: restartAndOpen,
    outcome: NEXT,
  },
  {
    title: 'restart without a state directory, channel opened again',
    visibility: 'public',
    server: { stateDirectory: false },
    disturb: restartAndOpen,
    outcome: NEXT,
  },
  {
    title: 'restart with a state directory, channel declared',
    visibility: 'public',
    server: { config: DECLARED },
    prepare: nothing,
    disturb: ({ service }) => service.restart(),
    outcome: NEXT,
  },
  {
    title: 'restart without a state directory, channel declared',
    visibility: 'public',
    server: { config: DECLARED, stateDirectory: false },
    prepare: nothing,
    disturb: ({ service }) => service.restart(),
    outcome: NEXT,
  },
  {
    title: 'restart with a state directory, private channel created again',
    visibility: 'private',
    disturb: restartAndOpen,
    outcome: NEXT,
  },
  {
    title: 'restart without a state directory, private channel created again',
    visibility: 'private',
    server: { stateDirectory: false },
    async disturb({ service, open, allTold }) {
      await service.restart();
      await open();
      await allTold();
    },
    outcome: 'unsubscribed 103',
  },
  {
    title: 'TTL passes while connected, opened again',
    visibility: 'public',
    async disturb(life) {
      await close(life);
      await life.open();
    },
    outcome: NEXT,
  },
  {
    title: 'TTL passes while connected, created again',
    visibility: 'private',
    prepare: createShortly,
    async disturb(life) {
      await gone(life);
      await life.open();
    },
    outcome: 'unsubscribed 2000',
  },
  {
    title: 'TTL passes while away, opened again',
    visibility: 'public',
    async disturb(life) {
      await life.service.away(() => close(life));
      await life.service.waiting(life.listeners);
      await life.open();
    },
    outcome: NEXT,
  },
  {
    title: 'TTL passes while away, created again',
    visibility: 'private',
    prepare: createShortly,
    async disturb(life) {
      await life.service.away(() => gone(life));
      await life.service.waiting(life.listeners);
      await life.open();
    },
    outcome: NEXT,
  },
  {
    title: 'deleted while connected, opened again: refused',
    visibility: 'public',
    disturb: deleteForGood,
    outcome: 'unsubscribed 2000',
  },
  {
    title: 'deleted while away, opened again: refused',
    visibility: 'public',
    disturb: life => life.service.away(() => deleteForGood(life)),
    outcome: 'unsubscribed 102',
  },
  {
    title: 'deleted while away, opened again after a restart',
    visibility: 'public',
    disturb: deletedUntilRestart,
    outcome: NEXT,
  },
  {
    title: 'deleted while connected, created again: refused',
    visibility: 'private',
    disturb: deleteForGood,
    outcome: 'unsubscribed 2000',
  },
  {
    title: 'deleted while away, created again: refused',
    visibility: 'private',
    disturb: life => life.service.away(() => deleteForGood(life)),
    outcome: 'unsubscribed 102',
  },
  {
    title: 'deleted while away, created again after a restart',
    visibility: 'private',
    disturb: deletedUntilRestart,
    outcome: NEXT,
  },
  {
    title: 'network loss',
    visibility: 'public',
    disturb: ({ service, publishMissed }) => service.away(publishMissed),
    outcome: EVERYTHING,
  },
  {
    title: 'network loss',
    visibility: 'private',
    disturb: ({ service, publishMissed }) => service.away(publishMissed),
    outcome: EVERYTHING,
  },
  {
    title: '30 s of silence on open connections',
    visibility: 'public',
    isLong: true,
    disturb: silence,
    outcome: EVERYTHING,
  },
  {
    title: '30 s of silence on open connections, the access token ends meanwhile, with a token callback',
    visibility: 'private',
    isLong: true,
    admission: { accessSeconds: 2 * SHORT_ACCESS_S },
    disturb: silence,
    outcome: EVERYTHING,
  },
  {
    title: 'full disk: no token is refreshed, until there is room',
    visibility: 'private',
    isLong: true,
    admission: { accessSeconds: SHORT_ACCESS_S },
    async disturb({ service, listeners }) {
      await service.onFullDisk(() => service.refreshesFailed(listeners));
      await service.refreshed(listeners);
    },
    outcome: NEXT,
  },
  {
    title: 'full disk: restart with a state directory, private channel created again',
    visibility: 'private',
    disturb: life => life.service.onFullDisk(() => restartAndOpen(life)),
    outcome: NEXT,
  },
  {
    title: 'payloads that are not UTF-8',
    visibility: 'public',
    async disturb({ publishBytes }) {
      await publishBytes();
      await publishBytes();
    },
    outcome: EVERYTHING,
  },
  {
    title: 'payloads that are not UTF-8, while away',
    visibility: 'private',
    disturb: ({ service, publishBytes }) => service.away(publishBytes),
    outcome: EVERYTHING,
  },
  {
    title: 'a new key signs',
    visibility: 'private',
    admission: { accessSeconds: SHORT_ACCESS_S },
    async disturb(life) {
      await rotate(life);
      await life.service.refreshed(life.listeners);
    },
    outcome: NEXT,
  },
  {
    title: 'a new key signs, the old one is retired after every client refreshed',
    visibility: 'private',
    // Their first access tokens are signed with the old key, whenever they refresh.
    admission: { accessSeconds: SHORT_ACCESS_S },
    async prepare(life) {
      await life.open();
      await rotate(life);
    },
    async disturb(life) {
      await life.service.refreshed(life.listeners);
      await nobodyUsesFirst(life);
      await retireFirst(life);
    },
    outcome: NEXT,
  },
  {
    title: 'the key is retired at once',
    visibility: 'private',
    async disturb(life) {
      await rotate(life);
      await retireFirst(life);
      await life.allTold();
    },
    outcome: 'unsubscribed 103',
  },
  {
    title: "the connection's access token ends, with a token callback",
    visibility: 'private',
    admission: { accessSeconds: SHORT_ACCESS_S },
    disturb: ({ service, listeners }) => service.refreshed(listeners),
    outcome: NEXT,
  },
  {
    title: "the connection's access token ends, without a token callback",
    visibility: 'private',
    isLong: true,
    admission: { accessSeconds: SHORT_ACCESS_S, refreshSeconds: false },
    disturb: ({ allTold }) => allTold(),
    outcome: 'disconnected 1',
    exceptions: { [WRAPPER]: 'terminal MSG_AUTH_EXPIRED' },
  },
  {
    title: "the subscription's token ends, with a token callback",
    visibility: 'private',
    admission: { accessSeconds: SHORT_ACCESS_S, tokenOf: 'subscription' },
    disturb: ({ service, listeners }) => service.refreshed(listeners),
    outcome: NEXT,
  },
  {
    title: "the subscription's token ends, without a token callback",
    visibility: 'private',
    isLong: true,
    admission: { accessSeconds: SHORT_ACCESS_S, refreshSeconds: false, tokenOf: 'subscription' },
    disturb: ({ allTold }) => allTold(),
    outcome: 'unsubscribed 1',
    exceptions: { [WRAPPER]: 'terminal MSG_AUTH_EXPIRED', 'centrifuge-go 0.12.1': 'unsubscribed 103' },
  },
  {
    title: 'the refresh token ends before the access token',
    visibility: 'private',
    admission: { accessSeconds: SHORT_ACCESS_S, refreshSeconds: 1 },
    disturb: ({ allTold }) => allTold(),
    outcome: 'disconnected 1',
    exceptions: { [WRAPPER]: 'terminal MSG_AUTH_EXPIRED' },
  },
  {
    title: 'cluster: its node is killed',
    visibility: 'public',
    server: { cluster: 'durable' },
    async disturb({ service, publishMissed }) {
      await service.away(async () => {
        await service.replaceNode();
        await publishMissed();
      });
    },
    outcome: EVERYTHING,
  },
  {
    title: 'cluster: Redis restarts with its data',
    visibility: 'public',
    server: { cluster: 'durable' },
    disturb: ({ service }) => service.restartStore(),
    outcome: NEXT,
  },
  {
    title: 'cluster: Redis restarts without its data, channel opened again',
    visibility: 'public',
    server: { cluster: 'forgetful' },
    async disturb({ service, name }) {
      await service.restartStore();
      const opens = async () => (await service.refusal('OpenPublic', { name, ttl_seconds: 3600 })) === 'OK';
      await until('it opens', opens);
    },
    outcome: NEXT,
  },
];
