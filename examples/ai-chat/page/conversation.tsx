import type { MsgChatTransport } from '@msg/ai/browser';
import { useMsgChat } from '@msg/ai/react';
import type { UIMessage } from 'ai';
import { type FormEvent, useEffect, useState } from 'react';

interface Run {
  readonly input: string;
  readonly status: string;
  readonly reason: string;
}

interface ConversationProps {
  readonly id: string;
  readonly messages: UIMessage[];
  readonly transport: MsgChatTransport;
  /** The messages that the backend has. */
  readonly load: () => Promise<UIMessage[]>;
}

/** The list of runs is read so often while one runs. */
const LIST_MS = 500;

type Part = UIMessage['parts'][number];

function PartView({ part }: { readonly part: Part }) {
  if (part.type === 'text') return <p className="text">{part.text}</p>;
  if (part.type === 'reasoning') return <p className="reasoning">{part.text}</p>;
  if (part.type !== 'tool-weather') return null;
  return (
    <p className="tool" data-state={part.state}>
      {JSON.stringify(part.input)}
    </p>
  );
}

/** One conversation: its messages, what runs, and a stop button that works in every tab. */
export function Conversation({ id, messages: first, transport, load }: ConversationProps) {
  const [runs, setRuns] = useState<readonly Run[]>([]);
  const chat = useMsgChat({
    id,
    transport,
    messages: first,
    loadMessages: load,
  });
  const { messages, status, error } = chat;

  const isAnswering = status === 'submitted' || status === 'streaming';
  const isListed = !isAnswering && runs.every(run => run.status !== 'streaming');
  useEffect(() => {
    const list = async () => setRuns(await (await fetch(`/api/runs?chat=${id}`)).json());
    list().catch(() => {});
    if (isListed) return;
    const timer = setInterval(() => list().catch(() => {}), LIST_MS);
    return () => clearInterval(timer);
  }, [id, isListed]);

  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('question'));
    event.currentTarget.reset();
    void chat.sendMessage({ text });
  };
  return (
    <main>
      <ol id="messages">
        {messages.map(({ id: key, role, parts }) => (
          <li key={key} data-role={role}>
            {parts.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts are added at the end alone
              <PartView key={at} part={part} />
            ))}
          </li>
        ))}
      </ol>
      <p id="status">{status}</p>
      {error !== undefined && <p id="error">{error.message}</p>}
      <button id="stop" type="button" onClick={() => chat.stop('stopped by the user').catch(console.error)}>
        Stop
      </button>
      <form id="ask" onSubmit={ask}>
        <input name="question" autoComplete="off" aria-label="Question" />
        <button type="submit">Ask</button>
      </form>
      <ul id="runs">
        {runs.map(run => (
          <li key={run.input} data-status={run.status}>
            {run.status} {run.reason}
          </li>
        ))}
      </ul>
    </main>
  );
}
