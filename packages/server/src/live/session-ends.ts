import type { NodeSurveys, SurveyQuestion } from '../realtime/node-surveys.ts';
import type { Feeds } from './feeds.ts';
import type { Recordings } from './recordings.ts';

const ENDED: SurveyQuestion<{ readonly session: string }, boolean> = { operation: 'msg_session_ended' };

export interface SessionEndsParts {
  readonly feeds: Pick<Feeds, 'endOf'>;
  readonly recordings: Pick<Recordings, 'endOf'>;
  readonly surveys: NodeSurveys;
  readonly onError: (error: unknown) => void;
}

/** Ends the feeds and recordings of a session of the console with it, on every node. Source: console, section 7.3. */
export class SessionEnds {
  readonly #parts: Pick<SessionEndsParts, 'surveys' | 'onError'>;

  constructor({ feeds, recordings, surveys, onError }: SessionEndsParts) {
    this.#parts = { surveys, onError };
    surveys.answer(ENDED, async ({ session }) => {
      recordings.endOf(session);
      await feeds.endOf(session);
      return true;
    });
  }

  /** Tells all nodes; a node that does not hear it finds out by itself within seconds. */
  announce(session: string): void {
    const { surveys, onError } = this.#parts;
    surveys.ask(ENDED, { session }).catch(onError);
  }
}
