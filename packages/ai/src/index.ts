import type { UIMessage } from 'ai';

/** What the chat transport posts to the application, with the members of `body` beside these. */
export interface ChatRequest<M extends UIMessage = UIMessage> {
  /** Of the chat. */
  readonly id: string;
  /** Of this request: the run that answers it is opened with it. */
  readonly input: string;
  readonly trigger: 'submit-message' | 'regenerate-message';
  /** Of the message to regenerate. */
  readonly messageId?: string;
  readonly messages: M[];
}

/** What the application may answer as JSON: where the answer comes, when it is not where `channelOf` says. */
export interface ChatReply {
  readonly channel?: string;
}
