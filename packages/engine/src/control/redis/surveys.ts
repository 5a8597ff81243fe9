import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { SurveyAnswer } from '../contract.ts';

/** Client protocol 17. */
const SURVEY_MS = 10_000;

interface Survey {
  readonly awaited: Set<string>;
  readonly answers: Map<string, SurveyAnswer>;
  readonly timer: TimerHandle;
  readonly resolve: () => void;
}

/** Surveys of this node that wait for answers of other nodes. */
export class Surveys {
  readonly #clock: Clock;
  readonly #open = new Map<number, Survey>();
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a survey; `answers` resolves when every node has answered or was forgotten, at the latest after `withinMs`. */
  begin(
    nodes: Iterable<string>,
    withinMs = SURVEY_MS,
  ): { id: number; answers: Promise<Map<string, SurveyAnswer>> } {
    const id = ++this.#lastId;
    const awaited = new Set(nodes);
    const answers = new Map<string, SurveyAnswer>();
    const done = new Promise<Map<string, SurveyAnswer>>(settle => {
      const resolve = (): void => {
        this.#clock.clearTimeout(timer);
        this.#open.delete(id);
        settle(answers);
      };
      const timer = this.#clock.setTimeout(() => this.#open.get(id)?.resolve(), withinMs);
      this.#open.set(id, { awaited, answers, timer, resolve });
      if (awaited.size === 0) resolve();
    });
    return { id, answers: done };
  }

  answered(id: number, nodeId: string, answer: SurveyAnswer): void {
    const survey = this.#open.get(id);
    if (survey === undefined || !survey.awaited.delete(nodeId)) return;
    survey.answers.set(nodeId, answer);
    if (survey.awaited.size === 0) survey.resolve();
  }

  /** The answer of a thread of a node whose own answer is waited for. */
  answeredBeside(id: number, nodeId: string, thread: string, answer: SurveyAnswer): void {
    const survey = this.#open.get(id);
    if (survey?.awaited.has(nodeId) === true) survey.answers.set(thread, answer);
  }

  /** Stops waiting for a node. */
  forget(nodeId: string): void {
    for (const survey of [...this.#open.values()]) {
      if (survey.awaited.delete(nodeId) && survey.awaited.size === 0) survey.resolve();
    }
  }

  /** Ends a survey with the answers so far. */
  end(id: number): void {
    this.#open.get(id)?.resolve();
  }

  /** Ends all surveys with the answers so far. */
  endAll(): void {
    for (const survey of [...this.#open.values()]) survey.resolve();
  }
}
