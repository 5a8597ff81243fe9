import { MsgError } from '@msg/core';
import type { NodeSurveys, SurveyQuestion } from '../realtime/node-surveys.ts';
import {
  MAX_RECORDINGS,
  type RecordingPage,
  type RecordingRequest,
  type RecordingSummary,
  type Recordings,
  type StartAnswer,
  type StartedRecording,
} from './recordings.ts';

const START: SurveyQuestion<RecordingRequest, StartAnswer> = { operation: 'msg_recording_start' };
const PAGE: SurveyQuestion<{ readonly recording: string; readonly after: number }, RecordingPage | null> = {
  operation: 'msg_recording',
};
const STOP: SurveyQuestion<{ readonly recording: string }, boolean> = { operation: 'msg_recording_stop' };

const STATES: SurveyQuestion<null, readonly RecordingSummary[]> = { operation: 'msg_recordings' };

const REFUSALS = {
  recorded: 'the connection is being recorded already: stop that recording, or wait for its end',
  full: `the node of the connection has ${MAX_RECORDINGS} recordings: stop one, or wait for its end`,
} as const;

/** The recordings of all nodes: the node of a connection keeps its frames, and any node answers for it. */
export class ClusterRecordings {
  readonly #surveys: NodeSurveys;

  constructor(local: Recordings, surveys: NodeSurveys) {
    this.#surveys = surveys;
    surveys.answer(START, request => local.start(request));
    surveys.answer(PAGE, ({ recording, after }) => local.page(recording, after));
    surveys.answer(STATES, () => local.states());
    surveys.answer(STOP, ({ recording }) => local.stop(recording));
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for an unknown connection, one that is recorded, and a node that has enough */
  async start(request: RecordingRequest): Promise<StartedRecording> {
    const { answers } = await this.#surveys.ask(START, request);
    const answer = [...answers.values()].find(ofNode => ofNode !== null);
    if (answer === undefined || answer === null) throw invalid('no such connection');
    if ('refused' in answer) throw invalid(REFUSALS[answer.refused]);
    return answer;
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for an unknown recording */
  async page(recording: string, after: number): Promise<RecordingPage> {
    const { answers } = await this.#surveys.ask(PAGE, { recording, after });
    const page = [...answers.values()].find(ofNode => ofNode !== null);
    if (page === undefined || page === null) throw unknownRecording();
    return page;
  }

  /** The recordings of the nodes that answer. */
  async states(): Promise<readonly RecordingSummary[]> {
    return [...(await this.#surveys.ask(STATES, null)).answers.values()].flat();
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for an unknown recording */
  async stop(recording: string): Promise<void> {
    const { answers } = await this.#surveys.ask(STOP, { recording });
    if (![...answers.values()].some(isStopped => isStopped)) throw unknownRecording();
  }
}

function invalid(text: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', text);
}

function unknownRecording(): MsgError {
  return invalid('no such recording: it ended more than a minute ago, or with its node');
}
