import type { LinkEnd } from '../../threads/link/link-end.ts';
import type { Control, ControlCommand, ControlHandler, SurveyAnswer } from '../contract.ts';
import { type AnswerArguments, ControlCall, commandBytes, commandOf, type SurveyArguments } from './calls.ts';

/** The control bus for the node of a thread: everything goes through main (threads 4.7). */
export class ThreadControl implements Control {
  readonly #link: LinkEnd;
  #handler: ControlHandler | null = null;
  #nodes: readonly string[] = [];

  constructor(link: LinkEnd) {
    this.#link = link;
    link.handleCall(ControlCall.nodes, (nodes: readonly string[]) => {
      if (this.#handler !== null) this.#nodes = nodes;
    });
    link.handleCall(ControlCall.execute, (bytes: Uint8Array) => this.#handler?.execute(commandOf(bytes)));
    link.handleCall(ControlCall.answer, ({ operation, data }: AnswerArguments) =>
      this.#handler?.survey(operation, data),
    );
  }

  async start(nodeId: string, handler: ControlHandler): Promise<void> {
    this.#handler = handler;
    this.#nodes = (await this.#link.call(ControlCall.started, nodeId)) as readonly string[];
  }

  async stop(): Promise<void> {
    if (this.#handler === null) return;
    this.#handler = null;
    this.#nodes = [];
    await this.#link.call(ControlCall.stopped).catch(() => {}); // main learns the end of the thread, too
  }

  nodes(): readonly string[] {
    return this.#nodes;
  }

  async broadcast(command: ControlCommand): Promise<void> {
    await this.#link.call(ControlCall.broadcast, commandBytes(command));
  }

  async survey(
    operation: string,
    data: Uint8Array,
    toNode?: string,
    withinMs?: number,
  ): Promise<ReadonlyMap<string, SurveyAnswer>> {
    const argument: SurveyArguments = { operation, data, toNode, withinMs };
    return (await this.#link.call(ControlCall.survey, argument)) as ReadonlyMap<string, SurveyAnswer>;
  }
}
