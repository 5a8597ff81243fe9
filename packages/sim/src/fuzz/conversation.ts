import type { Bytes } from '../redis/reply.ts';
import { Session } from '../redis/session.ts';
import { RedisState } from '../redis/state.ts';
import { normalised, sortUnsubscribed } from './normalise.ts';
import { RealConnection } from './real-connection.ts';
import { type Node, Replies, shownNode } from './replies.ts';
import { type Compile, type RealServer, request } from './sequence.ts';

/** One piece of a conversation: what one of the connections writes at once. */
export interface Step {
  readonly connection: number;
  readonly commands: readonly (readonly Bytes[])[];
  /** Bytes after the commands that are no request. */
  readonly garbage?: Bytes;
}

/** What a connection got after a step. */
interface Heard {
  readonly nodes: readonly Node[];
  readonly hasEnded: boolean;
}

/** The first step after which the two differ. */
export interface ConversationDifference {
  readonly at: number;
  readonly real: string;
  readonly simulated: string;
}

/** The last step: whatever came unasked has come before the answers. */
const LAST = request(['PING']);

/** Plays steps over several connections to a real server and to a simulated one, and compares what each connection gets. */
export async function playConversation(
  steps: readonly Step[],
  real: RealServer,
  compile: Compile,
): Promise<ConversationDifference | undefined> {
  const connections = 1 + Math.max(...steps.map(({ connection }) => connection));
  const simulated = simulatedTalk(steps, connections, compile);
  const heard = await realTalk(steps, real, simulated);
  for (const [at, expected] of heard.entries()) {
    const [first, second] = [shown(expected), shown(simulated[at] ?? [])];
    if (first !== second) return { at, real: first, simulated: second };
  }
  return undefined;
}

function bytesOf({ commands, garbage = '' }: Step): Bytes {
  return commands.map(request).join('') + garbage;
}

class SimulatedPeer {
  hasEnded = false;
  readonly session: Session;
  readonly #replies = new Replies();

  constructor(state: RedisState) {
    this.session = new Session(state, {
      send: bytes => this.#replies.push(bytes),
      end: () => {
        this.hasEnded = true;
      },
    });
  }

  write(bytes: Bytes): void {
    if (!this.hasEnded) this.session.receive(bytes);
  }

  heard(): Heard {
    const nodes: Node[] = [];
    for (let node = this.#replies.next(); node !== undefined; node = this.#replies.next()) nodes.push(node);
    return { nodes, hasEnded: this.hasEnded };
  }
}

/** What every connection got after every step. */
function simulatedTalk(
  steps: readonly Step[],
  connections: number,
  compile: Compile,
): readonly (readonly Heard[])[] {
  const state = new RedisState({ nowUs: () => 1e15, random: () => 0.5, compile });
  const peers = Array.from({ length: connections }, () => new SimulatedPeer(state));
  const talk = steps.map(step => {
    peers[step.connection]?.write(bytesOf(step));
    return peers.map(peer => peer.heard());
  });
  for (const peer of peers) peer.write(LAST);
  return [...talk, peers.map(peer => peer.heard())];
}

/** The same of a real server, which is waited for until it has said as much. */
async function realTalk(
  steps: readonly Step[],
  { host, port }: RealServer,
  simulated: readonly (readonly Heard[])[],
): Promise<readonly (readonly Heard[])[]> {
  const peers: RealConnection[] = [];
  const open = async (): Promise<number> => peers.push(await RealConnection.open(host, port));
  await open();
  peers[0]?.write(request(['FLUSHALL']));
  await peers[0]?.take(1);
  while (peers.length < (simulated[0]?.length ?? 0)) await open();
  try {
    const talk: (readonly Heard[])[] = [];
    for (const [at, expected] of simulated.entries()) {
      const step = steps[at];
      if (step !== undefined) peers[step.connection]?.write(bytesOf(step));
      else for (const peer of peers) peer.write(LAST);
      talk.push(await Promise.all(peers.map((peer, index) => heardBy(peer, expected[index]))));
    }
    return talk.map((list, at) =>
      at < steps.length ? list : list.map((heard, index) => withRest(heard, peers[index])),
    );
  } finally {
    for (const peer of peers) peer.close();
  }
}

async function heardBy(peer: RealConnection, expected: Heard | undefined): Promise<Heard> {
  const nodes = await peer.take(expected?.nodes.length ?? 0);
  return { nodes, hasEnded: expected?.hasEnded === true && (await peer.hasEnded()) };
}

/** What the real server said beyond what was waited for. */
function withRest({ nodes, hasEnded }: Heard, peer: RealConnection | undefined): Heard {
  return { nodes: [...nodes, ...(peer?.left ?? [])], hasEnded };
}

function shown(heard: readonly Heard[]): string {
  return heard
    .map(
      ({ nodes, hasEnded }) => sortUnsubscribed(nodes).map(shownReply).join(' ') + (hasEnded ? ' <end>' : ''),
    )
    .join(' | ');
}

function shownReply(node: Node): string {
  return shownNode(normalised(node, ''));
}
