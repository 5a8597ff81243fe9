import { type UseChatHelpers, type UseChatOptions, useChat } from '@ai-sdk/react';
import type { ChatInit, UIMessage } from 'ai';
import { useCallback, useEffect, useRef } from 'react';
import type { MsgChatTransport, NewRun } from './browser.ts';

/** Options of {@link useMsgChat}: those of `useChat`, with a transport of this package. */
export type MsgChatOptions<M extends UIMessage> = Omit<ChatInit<M>, 'transport'> &
  Pick<UseChatOptions<M>, 'throttle'> & {
    readonly transport: MsgChatTransport<M>;
    /** The messages of the chat before an answer that another tab asked for: with its question. */
    readonly loadMessages?: (run: NewRun) => Promise<M[]>;
  };

/** What `useChat` returns, with a `stop` for every device. */
export interface MsgChatHelpers<M extends UIMessage> extends Omit<UseChatHelpers<M>, 'stop'> {
  /** Stops the answer, wherever it was asked for. @throws MsgError as `transport.stop` */
  readonly stop: (reason?: string) => Promise<void>;
}

/** `useChat` that resumes the answer which runs, and shows those that other tabs ask for. Source: append streams 12.2 */
export function useMsgChat<M extends UIMessage = UIMessage>({
  loadMessages,
  ...options
}: MsgChatOptions<M>): MsgChatHelpers<M> {
  const chat = useChat<M>({ ...options, resume: true });
  const { id, resumeStream, setMessages, stop: leave } = chat;
  const { transport } = options;
  const load = useRef(loadMessages);
  useEffect(() => {
    load.current = loadMessages;
  });
  useEffect(
    () =>
      transport.onRun(id, async run => {
        const messages = await load.current?.(run);
        if (messages !== undefined) setMessages(messages);
        await resumeStream();
      }),
    [transport, id, resumeStream, setMessages],
  );
  const stop = useCallback(
    async (reason?: string) => {
      try {
        await transport.stop(id, reason);
      } finally {
        await leave();
      }
    },
    [transport, id, leave],
  );
  return { ...chat, stop };
}
