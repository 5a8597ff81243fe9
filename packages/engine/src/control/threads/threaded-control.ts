import type { Clock } from '@msg/foundation/clock';
import { withDeadline } from '@msg/foundation/promises';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import { LinkBusy, LinkTimeout } from '../../threads/link/pending-requests.ts';
import type { Control, ControlCommand, ControlHandler, SurveyAnswer } from '../contract.ts';
import { type AnswerArguments, ControlCall, commandBytes, commandOf, type SurveyArguments } from './calls.ts';

/** How long a broadcast waits for the threads of the process (threads 4.7). */
const EXECUTE_MS = 1000;
/** How long a survey waits for an answer, unless its caller says otherwise. */
const SURVEY_MS = 10_000;
/** How long another process, which waits for 3 s or more, lets this one ask its threads. */
const OTHERS_WAIT_MS = 2500;
/** The answer for a thread that is not there. */
const UNKNOWN: SurveyAnswer = { code: 404, data: new Uint8Array(0) };
/** The answer of a node whose handler failed. */
const FAILED: SurveyAnswer = { code: 500, data: new Uint8Array(0) };

/** A thread whose node has started. */
interface ControlThread {
  readonly id: string;
  readonly link: LinkEnd;
}

/** What a {@link ThreadedControl} needs. */
export interface ThreadedControlOptions {
  /** Between this process and others. */
  readonly control: Control;
  readonly clock: Clock;
  /** Told of a thread that did not carry out a command in time. */
  readonly onError: (error: unknown) => void;
}

/** The control bus of a process with threads: main, its threads, and what the bus below it reaches (threads 4.7). */
export class ThreadedControl implements Control {
  readonly reachesThreads = true;
  readonly #control: Control;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #threads = new Map<number, ControlThread>();
  #handler: ControlHandler | null = null;

  constructor({ control, clock, onError }: ThreadedControlOptions) {
    this.#control = control;
    this.#clock = clock;
    this.#onError = onError;
  }

  async start(nodeId: string, handler: ControlHandler): Promise<void> {
    this.#handler = handler;
    await this.#control.start(nodeId, {
      version: handler.version,
      nodesChanged: () => this.#tellNodes(),
      execute: command => {
        handler.execute(command);
        void this.#toThreads(command, null);
      },
      survey: (operation, data) => handler.survey(operation, data),
      surveyThreads: (operation, data, thread) =>
        thread === undefined
          ? this.#answerAll(nodeId, { operation, data })
          : this.#answerOf(thread, { operation, data }),
    });
    this.#tellNodes();
  }

  async stop(): Promise<void> {
    this.#handler = null;
    await this.#control.stop();
  }

  nodes(): readonly string[] {
    if (this.#handler === null) return [];
    return [...this.#control.nodes(), ...[...this.#threads.values()].map(({ id }) => id)];
  }

  async broadcast(command: ControlCommand): Promise<void> {
    await Promise.all([this.#toThreads(command, null), this.#control.broadcast(command)]);
  }

  async survey(
    operation: string,
    data: Uint8Array,
    toNode?: string,
    withinMs = SURVEY_MS,
  ): Promise<ReadonlyMap<string, SurveyAnswer>> {
    const asked = [...this.#threads.values()].filter(({ id }) => toNode === undefined || id === toNode);
    const isThread = toNode !== undefined && asked.length > 0;
    const [others, ...answers] = await Promise.all([
      isThread ? new Map<string, SurveyAnswer>() : this.#control.survey(operation, data, toNode, withinMs),
      ...asked.map(thread => this.#ask(thread, { operation, data }, withinMs)),
    ]);
    const all = new Map(others);
    for (const [index, answer] of answers.entries())
      if (answer !== null) all.set((asked[index] as ControlThread).id, answer);
    return all;
  }

  /** Serves the control bus of thread `number` through its link. */
  attach(number: number, link: LinkEnd): void {
    link.handleCall(ControlCall.started, (id: string) => {
      this.#threads.set(number, { id, link });
      this.#tellNodes();
      return this.nodes();
    });
    link.handleCall(ControlCall.stopped, () => this.detach(number));
    link.handleCall(ControlCall.broadcast, async (bytes: Uint8Array) => {
      const command = commandOf(bytes);
      this.#handler?.execute(command);
      await Promise.all([this.#toThreads(command, number), this.#control.broadcast(command)]);
    });
    link.handleCall(ControlCall.survey, ({ operation, data, toNode, withinMs }: SurveyArguments) =>
      this.survey(operation, data, toNode, withinMs),
    );
  }

  /** A thread has ended. */
  detach(number: number): void {
    if (this.#threads.delete(number)) this.#tellNodes();
  }

  /** Lets all threads but one execute a command; resolves when they have, or after a second. */
  async #toThreads(command: ControlCommand, except: number | null): Promise<void> {
    const bytes = commandBytes(command);
    const others = [...this.#threads].filter(([number]) => number !== except);
    await Promise.all(
      others.map(async ([, { id, link }]) => {
        const late = (): never => {
          throw new Error(`thread ${id} has not executed a command within ${EXECUTE_MS} ms`);
        };
        await withDeadline(this.#clock, EXECUTE_MS, link.call(ControlCall.execute, bytes), late).catch(
          this.#onError,
        );
      }),
    );
  }

  /** The answers of this process for another one: a count without a thread would be a guess. */
  async #answerAll(nodeId: string, question: AnswerArguments): Promise<ReadonlyMap<string, SurveyAnswer>> {
    const threads = [...this.#threads.values()];
    const [main, ...answers] = await Promise.all([
      this.#handler?.survey(question.operation, question.data).catch(() => FAILED),
      ...threads.map(thread => this.#ask(thread, question, OTHERS_WAIT_MS)),
    ]);
    const isWhole = answers.every(answer => answer !== null);
    const all = new Map([[nodeId, isWhole ? (main ?? FAILED) : FAILED]]);
    for (const [index, { id }] of threads.entries()) all.set(id, answers[index] ?? FAILED);
    return all;
  }

  async #answerOf(thread: string, question: AnswerArguments): Promise<ReadonlyMap<string, SurveyAnswer>> {
    const asked = [...this.#threads.values()].find(({ id }) => id === thread);
    const answer = asked === undefined ? UNKNOWN : await this.#ask(asked, question, OTHERS_WAIT_MS);
    return new Map(answer === null ? [] : [[thread, answer]]);
  }

  async #ask(
    { link }: ControlThread,
    question: AnswerArguments,
    withinMs: number,
  ): Promise<SurveyAnswer | null> {
    const answer = link.call(ControlCall.answer, question).then(
      result => (result as SurveyAnswer | undefined) ?? null,
      (error: unknown) => (error instanceof LinkBusy || error instanceof LinkTimeout ? null : FAILED),
    );
    return withDeadline(this.#clock, withinMs, answer, () => null);
  }

  #tellNodes(): void {
    const nodes = this.nodes();
    for (const { link } of this.#threads.values()) link.call(ControlCall.nodes, nodes).catch(() => {}); // it has ended
  }
}
