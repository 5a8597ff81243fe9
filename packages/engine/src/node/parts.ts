import { assertClock, type Clock, systemClock, systemRandom } from '@msg/foundation/clock';
import { type NodeTotals, ownTotals } from '../bounds.ts';
import type { Broker } from '../broker/contract.ts';
import { MemoryBroker } from '../broker/memory.ts';
import type { Control, ControlCommand, SurveyAnswer } from '../control/contract.ts';
import { executeLocally } from '../control/executor.ts';
import { LocalControl } from '../control/local.ts';
import { Hub } from '../delivery/hub.ts';
import { PositionChecker } from '../delivery/position-check.ts';
import { Emulation } from '../emulation.ts';
import { DEFAULT_LIMITS, type Limits, ownListBytes } from '../limits.ts';
import type { ForwardPublish, Policy } from '../policy.ts';
import type { Presence } from '../presence/contract.ts';
import { MemoryPresence } from '../presence/memory.ts';
import { EncodedStreams } from '../replies/encoded-streams.ts';
import { ReplyBudget } from '../replies/reply-budget.ts';
import { ClientNames } from '../session/client-names.ts';
import { COMMANDS } from '../session/commands/table.ts';
import { Flusher } from '../session/flusher.ts';
import { SessionRegistry } from '../session/registry.ts';
import { ReplyTurns } from '../session/reply-turns.ts';
import type { Session, SessionContext } from '../session/session.ts';
import { type NodeStats, newStats } from '../stats.ts';
import type { StreamOptions } from '../stream/contract.ts';
import { TimerWheel } from '../timers/timer-wheel.ts';
import { RequestBodies } from '../transports/http/body.ts';
import { Appends } from './appends.ts';
import { BackgroundWork } from './background.ts';
import { Connections } from './connections.ts';
import type { NodeOptions } from './options.ts';

/** Answer to a survey that this node does not know. */
const UNKNOWN_SURVEY: SurveyAnswer = { code: 404, data: new Uint8Array(0) };

/** A channel that keeps nothing. */
export const NO_STREAM: StreamOptions = { size: 0, ttlMs: 0 };

/** The parts of a node. */
export interface NodeParts {
  readonly id: string;
  readonly policy: Policy;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly wheel: TimerWheel;
  readonly bodies: RequestBodies;
  readonly broker: Broker;
  readonly presence: Presence;
  readonly control: Control;
  readonly hub: Hub;
  readonly sessions: SessionRegistry<Session>;
  readonly emulation: Emulation;
  readonly connections: Connections;
  readonly appends: Appends;
  readonly onAppended: NonNullable<NodeOptions['onAppended']>;
  readonly onAppendChanged: NonNullable<NodeOptions['onAppendChanged']>;
  /** Executes a command on the connections of this node, or of every node. */
  here(command: ControlCommand): Promise<void>;
  everywhere(command: ControlCommand): Promise<void>;
  /** The stream options of a channel. */
  streamOptions(channel: string): StreamOptions;
  /** Answers surveys of the application. */
  readonly survey: NonNullable<NodeOptions['survey']>;
  readonly background: BackgroundWork;
  readonly stats: NodeStats;
  /** What the sessions share of it. */
  readonly context: SessionContext;
}

/** What several parts of a node use. */
type SharedParts = Pick<
  SessionContext,
  'policy' | 'hub' | 'broker' | 'presence' | 'clock' | 'random' | 'wheel' | 'limits' | 'stats' | 'reportError'
>;

/** Makes the parts of a node. `forwardPublish` publishes for its clients. */
export function nodeParts(options: NodeOptions, forwardPublish: ForwardPublish): NodeParts {
  const id = options.nodeId ?? (options.random ?? systemRandom).uuid();
  const shared = sharedParts(options);
  const { policy, hub, broker, clock, wheel, limits } = shared;
  const totals = options.bounds?.totals ?? ownTotals();
  const sessions = new SessionRegistry<Session>(limits, {
    connections: totals.connections,
    counts: options.bounds?.counts,
  });
  const background = new BackgroundWork(shared.reportError);
  const context = {
    ...shared,
    ...replyParts(shared, totals, options),
    forwardPublish,
    nodeId: id,
    version: options.version ?? 'dev',
    positions: new PositionChecker(shared),
    sessions,
    clientNames: new ClientNames(),
    commands: COMMANDS,
    inBackground: (work: Promise<void>) => background.add(work),
  };
  const control = options.control ?? new LocalControl();
  const streamOptions = (channel: string): StreamOptions => policy.streamOptions?.(channel) ?? NO_STREAM;
  const here = (command: ControlCommand): Promise<void> => executeLocally(hub, sessions, command);
  const everywhere = async (command: ControlCommand): Promise<void> => {
    await Promise.all([here(command), control.broadcast(command)]);
  };
  return {
    ...shared,
    appends: new Appends({ broker, clock, streamOptions }),
    here,
    everywhere,
    streamOptions,
    onAppended: options.onAppended ?? (() => {}),
    onAppendChanged: options.onAppendChanged ?? (() => {}),
    id,
    bodies: new RequestBodies({
      clock,
      wheel,
      bytes: limits.bodyBytes,
      totals,
      timeoutMs: limits.bodyMs,
      onRewritten: options.onBodyRewritten ?? (() => {}),
    }),
    control,
    sessions,
    emulation: new Emulation(id, control, secret => sessions.emulated(secret)),
    connections: new Connections(sessions, hub, clock),
    survey: options.survey ?? (() => Promise.resolve(UNKNOWN_SURVEY)),
    background,
    context,
  };
}

function sharedParts(options: NodeOptions): SharedParts {
  const { policy, clock = systemClock, random = systemRandom, onError: reportError = () => {} } = options;
  assertClock(clock);
  const wheel = new TimerWheel(clock);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { appendStreams } = limits;
  const { broker = new MemoryBroker({ clock, random, wheel, appendStreams }) } = options;
  const { presence = new MemoryPresence() } = options;
  const stats = newStats();
  const hub = new Hub(broker, stats);
  return { policy, hub, broker, presence, clock, random, wheel, limits, stats, reportError };
}

/** How replies and publications are written to sockets. */
function replyParts(
  { clock, wheel, stats, limits }: SharedParts,
  { replies }: NodeTotals,
  { writeDelayMs = 0 }: NodeOptions,
): Pick<SessionContext, 'writeQueue' | 'encodedStreams' | 'replyBudget'> {
  const encodedStreams = new EncodedStreams(replies);
  const replyBudget = new ReplyBudget(replies, limits.replyBytes);
  const writeQueue = {
    flusher: new Flusher(clock, writeDelayMs),
    replyTurns: new ReplyTurns(clock),
    wheel,
    stats,
    replyBudget,
    ownReplyBytes: ownListBytes(limits),
    limitBytes: limits.queueBytes,
    stallMs: limits.writeStallMs,
  };
  return { writeQueue, encodedStreams, replyBudget };
}
