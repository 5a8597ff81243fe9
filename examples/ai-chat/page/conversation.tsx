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

/** A reader this near to the end wants to see it. */
const NEAR_END_PX = 160;

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

/** A state has a shape, a colour and a word. */
const SHAPES: Readonly<Record<string, string>> = {
  complete: 'M5 0a5 5 0 1 0 0 10a5 5 0 1 0 0-10',
  cancelled: 'M5 0l5 10h-10z',
  failed: 'M0 0h10v10h-10z',
};
const RUNNING = 'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8';

function RunView({ run: { status, reason } }: { readonly run: Run }) {
  return (
    <li data-status={status}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d={SHAPES[status] ?? RUNNING} />
      </svg>
      <span>
        {status} <span className="mute">{reason}</span>
      </span>
    </li>
  );
}

/** Keeps the end of a growing answer in view for a reader who is there. */
function useEndInView(content: unknown): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the content has changed
  useEffect(() => {
    const below = (document.querySelector('.composer')?.getBoundingClientRect().bottom ?? 0) - innerHeight;
    if (below > 0 && below < NEAR_END_PX) scrollBy(0, below);
  }, [content]);
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
  useEndInView(messages);

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
  const stop = () => chat.stop('stopped by the user').catch(console.error);
  return (
    <div className="chat">
      <section className="conversation" aria-label="Conversation">
        {messages.length === 0 && (
          <p className="empty">
            Ask something. Then reload the page, open it in a second window, or stop the answer there.
          </p>
        )}
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
        <div className="composer">
          {error !== undefined && (
            <p id="error" role="alert">
              {error.message}
            </p>
          )}
          <div className="line">
            <form id="ask" onSubmit={ask}>
              <input name="question" autoComplete="off" aria-label="Question" placeholder="A question" />
              <button className="btn primary" type="submit">
                Ask
              </button>
            </form>
            <button id="stop" className="btn" type="button" onClick={stop}>
              Stop
            </button>
          </div>
          <p id="status" role="status">
            {status}
          </p>
        </div>
      </section>
      <section className="runs" aria-labelledby="runs-title">
        <h2 id="runs-title">Answers</h2>
        {runs.length === 0 && <p className="mute">None yet.</p>}
        <ul id="runs">
          {runs.map(run => (
            <RunView key={run.input} run={run} />
          ))}
        </ul>
      </section>
    </div>
  );
}
