import { MsgError } from '@msg/core';
import type { RealtimeNode, SurveyAnswer } from '@msg/engine';
import { processOf } from '@msg/engine/internal';
import { storeReadFailure } from '../stores/redis/store-failure.ts';

/** A node that has not answered after this time is missing. */
const WITHIN_MS = 3000;
const OK = 0;
const UNKNOWN = 404;
const EMPTY = new Uint8Array(0);

/** Why a live node is missing from an answer: it was silent, it failed, or it does not know the question yet. */
type MissingReason = 'silent' | 'failed' | 'version';

/** A live node that an answer lacks. */
interface MissingNode {
  readonly node: string;
  readonly reason: MissingReason;
}

/** What the nodes answered. */
export interface SurveyResult<Answer> {
  /** By node id. */
  readonly answers: ReadonlyMap<string, Answer>;
  readonly missing: readonly MissingNode[];
}

/** One question to the nodes: question and answer are JSON. */
export interface SurveyQuestion<Question, Answer> {
  /** The name on the wire; a changed meaning needs another name. */
  readonly operation: string;
  /** Types only: neither exists at run time. */
  readonly types?: { readonly question: Question; readonly answer: Answer };
}

/** Answers one question on this node. */
type Responder = (question: unknown) => unknown;

export type SurveyingNode = Pick<RealtimeNode, 'operational' | 'nodes' | 'survey'>;

function encoded(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function decoded(data: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(data));
}

/** Asks all nodes, and says which of them did not answer. Each room registers the questions that it answers. */
export class NodeSurveys {
  readonly #node: () => SurveyingNode;
  readonly #responders = new Map<string, Responder>();

  constructor(node: () => SurveyingNode) {
    this.#node = node;
  }

  /** Registers what answers a question on this node. */
  answer<Question, Answer>(
    { operation }: SurveyQuestion<Question, Answer>,
    respond: (question: Question) => Answer | Promise<Answer>,
  ): void {
    this.#responders.set(operation, respond as Responder); // `ask` gives a question of its type
  }

  /** This node's answer to a survey; `undefined` for one that nothing here answers. */
  async respond(operation: string, data: Uint8Array): Promise<SurveyAnswer | undefined> {
    const responder = this.#responders.get(operation);
    if (responder === undefined) return undefined;
    return { code: OK, data: encoded((await responder(decoded(data))) ?? null) };
  }

  /**
   * Asks all live nodes, this one included, or only `toNode` with its threads. Answers are by thread, what is missing by process.
   * @throws MsgError MSG_BROKER_NOT_READY while this node does not run or its store fails, as rejection.
   */
  async ask<Question, Answer>(
    { operation }: SurveyQuestion<Question, Answer>,
    question: Question,
    toNode?: string,
  ): Promise<SurveyResult<Answer>> {
    const node = this.#node();
    if (!node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    const nodes = node.nodes();
    // A process with threads is asked as a whole.
    const hasThreads = nodes.some(id => id !== toNode && processOf(id) === toNode);
    const received = await this.#survey(node, operation, encoded(question), hasThreads ? undefined : toNode);
    const answers = new Map<string, Answer>();
    const missing = new Map<string, MissingNode>();
    for (const id of new Set([...node.nodes(), ...received.keys()])) {
      if (toNode !== undefined && id !== toNode && processOf(id) !== toNode) continue;
      const { code, data } = received.get(id) ?? { code: undefined, data: EMPTY };
      if (code === OK)
        answers.set(id, decoded(data) as Answer); // as the responder of the question gives it
      else missing.set(processOf(id), { node: processOf(id), reason: reasonOf(code) });
    }
    return { answers, missing: [...missing.values()] };
  }

  async #survey(
    node: SurveyingNode,
    operation: string,
    question: Uint8Array,
    toNode: string | undefined,
  ): Promise<ReadonlyMap<string, SurveyAnswer>> {
    try {
      return await node.survey(operation, question, toNode, WITHIN_MS);
    } catch (cause) {
      const failure = storeReadFailure(cause);
      throw failure ?? new MsgError('MSG_BROKER_INTERNAL', 'the nodes could not be asked', { cause });
    }
  }
}

function reasonOf(code: number | undefined): MissingReason {
  if (code === undefined) return 'silent';
  return code === UNKNOWN ? 'version' : 'failed';
}
