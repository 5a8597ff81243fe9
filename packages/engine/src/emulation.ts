import { DecodeError, type EmulationRequest, protobufCodec } from '@msg/protocol';
import type { Control, SurveyAnswer } from './control/contract.ts';
import { processOf } from './control/thread-ids.ts';
import type { Session } from './session/session.ts';
import type { EmulationOutcome } from './transports/http/emulation.ts';

/** Survey operation that forwards a request of the emulation endpoint to another node (client protocol 4.4). */
export const EMULATION_SURVEY = 'centrifuge_emulation';

/** Survey codes of the outcomes; the first three are those of the reference. */
const CODES: readonly EmulationOutcome[] = ['accepted', 'bad_request', 'unknown', 'busy'];
/** Code of the answer for a thread that has ended. */
const NO_SUCH_NODE = 404;
const NO_DATA = new Uint8Array(0);

/**
 * Delivers commands of the emulation endpoint to their sessions, on this node or another. The session id in a request is
 * a capability: a request that has it acts for the connection.
 */
export class Emulation {
  readonly #nodeId: string;
  readonly #control: Control;
  readonly #find: (secret: string) => Session | undefined;

  constructor(nodeId: string, control: Control, find: (secret: string) => Session | undefined) {
    this.#nodeId = nodeId;
    this.#control = control;
    this.#find = find;
  }

  /** Delivers a request to its node. */
  async deliver(request: EmulationRequest): Promise<EmulationOutcome> {
    const { node, session, data } = request;
    if (node === this.#nodeId) return this.#deliverHere(request);
    if (!this.#isLive(node)) return 'unknown';
    const bytes = protobufCodec.encodeEmulation(node, session, data ?? NO_DATA);
    try {
      const answers = await this.#control.survey(EMULATION_SURVEY, bytes, node);
      const code = answers.get(node)?.code;
      return code === NO_SUCH_NODE ? 'unknown' : (code !== undefined && CODES[code]) || 'failed';
    } catch {
      return 'failed';
    }
  }

  /** Answers another node's request. */
  answer(data: Uint8Array): SurveyAnswer {
    let outcome: EmulationOutcome = 'bad_request';
    try {
      outcome = this.#deliverHere(protobufCodec.decodeEmulation(data));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
    }
    return { code: CODES.indexOf(outcome), data: NO_DATA };
  }

  /** A node, or a thread of another process that is live. */
  #isLive(node: string): boolean {
    const [process, nodes] = [processOf(node), this.#control.nodes()];
    return nodes.includes(node) || (process !== processOf(this.#nodeId) && nodes.includes(process));
  }

  #deliverHere({ session: secret, data }: EmulationRequest): EmulationOutcome {
    const session = this.#find(secret);
    if (session === undefined) return 'unknown';
    if (session.readingPaused) return 'busy';
    try {
      session.received(session.framing.codec.emulationFrame(data));
      return 'accepted';
    } catch (error) {
      if (error instanceof DecodeError) return 'bad_request';
      throw error;
    }
  }
}
