import type { Control, ControlHandler, SurveyAnswer } from './contract.ts';

/** Control bus of a single node. */
export class LocalControl implements Control {
  #nodeId = '';
  #handler: ControlHandler | null = null;

  async start(nodeId: string, handler: ControlHandler): Promise<void> {
    this.#nodeId = nodeId;
    this.#handler = handler;
  }

  async stop(): Promise<void> {
    this.#handler = null;
  }

  nodes(): readonly string[] {
    return this.#handler === null ? [] : [this.#nodeId];
  }

  async broadcast(): Promise<void> {}

  async survey(
    operation: string,
    data: Uint8Array,
    toNode?: string,
  ): Promise<ReadonlyMap<string, SurveyAnswer>> {
    if (this.#handler === null || (toNode !== undefined && toNode !== this.#nodeId)) return new Map();
    return new Map([[this.#nodeId, await this.#handler.survey(operation, data)]]);
  }
}
