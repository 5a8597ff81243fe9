import { RealtimeNode } from '@msg/engine';
import { defined } from '@msg/foundation/json';
import { requireAppendStore } from '../../channels/append-options.ts';
import { answerView, ClusterView } from '../../realtime/cluster-view.ts';
import { ControlCommands } from '../../realtime/control-commands.ts';
import { NodeSurveys } from '../../realtime/node-surveys.ts';
import { RealtimePolicy } from '../../realtime/policy.ts';
import { Reconciler } from '../../realtime/reconciler.ts';
import { RevocationEnforcer } from '../../realtime/revocation-enforcer.ts';
import { answerSurvey, SubscriberCounter } from '../../realtime/subscriber-counter.ts';
import { engineLimits } from '../engine-limits.ts';
import type { Auth } from './auth.ts';
import type { Base } from './base.ts';
import type { Channels } from './channels.ts';
import type { Publishing } from './publishing.ts';

/** The node, and the parts that end subscriptions on it. */
export interface Realtime {
  readonly node: RealtimeNode;
  readonly subscribers: SubscriberCounter;
  readonly revocationEnforcer: RevocationEnforcer;
  readonly reconciler: Reconciler;
  readonly view: ClusterView;
  /** Questions to all nodes. */
  readonly surveys: NodeSurveys;
}

const BODY_REWRITTEN =
  'a parser read a request body before msg; its JSON is written back, forms of numbers may change';

export function composeRealtime(base: Base, auth: Auth, rooms: Channels, publishing: Publishing): Realtime {
  const { options, version, clock, random, logger, stores, onError } = base;
  const { verifier, isRevoked } = auth;
  const { channels, access } = rooms;
  const policy = new RealtimePolicy({
    publishing: () => publishing.pipeline,
    channels,
    verifier,
    access,
    options: publishing.rules,
    limits: publishing.clientLimits,
    commands: new ControlCommands({ ...rooms, ...publishing, limits: publishing.clientLimits }),
    ...defined({ clientRpc: options.clientRpc }),
    onError,
  });
  const surveys = new NodeSurveys(() => node);
  const facts = { version, clock, startedAt: clock.monotonic() };
  const node: RealtimeNode = new RealtimeNode({
    policy,
    version,
    clock,
    random,
    limits: engineLimits(options.limits, options.ping),
    onBodyRewritten: () => logger.warn({}, BODY_REWRITTEN),
    onError,
    onAppended: (_, end) => publishing.appendCounts.appended(end),
    onAppendChanged: channel => publishing.appendStreams.lookAgain(channel),
    ...stores.engine,
    survey: async (operation, data) =>
      answerView(node, facts, operation, data) ??
      (await surveys.respond(operation, data)) ??
      answerSurvey(node, operation, data),
  });
  requireAppendStore(publishing.rules.appending, node.appends.available);
  const revocationEnforcer = new RevocationEnforcer({ node, verifier, isRevoked, clock, onError });
  const reconciler = new Reconciler({ node, registry: stores.registry, revocationEnforcer, onError });
  return {
    node,
    subscribers: new SubscriberCounter(node, channels),
    revocationEnforcer,
    reconciler,
    view: new ClusterView(() => node),
    surveys,
  };
}
