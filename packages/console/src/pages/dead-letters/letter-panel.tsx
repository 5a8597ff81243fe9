import type { MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, setQuery } from '../../app/address.ts';
import { refusalOf } from '../../app/session.ts';
import { ActButton, say } from '../../parts/act.tsx';
import { Badge, Command, Facts, Name, Skeleton } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PayloadView } from '../../parts/payload.tsx';
import { bytes, commandLine, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { call } from '../../rpc/client.ts';
import { reloadAll, useCall } from '../../rpc/use-call.ts';
import { discard, discardLine } from './discard.tsx';
import { EditLetter } from './edit.tsx';
import { type Letter, recipientText } from './letters-of.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  sent: 'Sent the letter.',
  running: 'The letter is being delivered; its retries continue.',
};

/** One letter beside the list: whom it is for, what is in it, why it failed. */
export function LetterPanel({
  id,
  listed,
  blocked,
}: {
  readonly id: string;
  readonly listed: Letter | undefined;
  readonly blocked: string | undefined;
}): JSX.Element {
  const mayRead = refusalOf('DlqGet') === undefined;
  const found = useCall('DlqGet', { id }, { skip: !mayRead });
  const letter = found.data?.item ?? listed;
  const close = (): void => setQuery({ open: '' });
  return (
    <section class="panel side-panel" aria-labelledby="letter">
      <header>
        <h2 id="letter">
          Letter <span class="mono wrap">{visible(id)}</span>
        </h2>
        <button class="btn quiet only sm" type="button" aria-label="Close" onClick={close}>
          <Icon name="x" />
        </button>
      </header>
      <div class="body stack s4">
        {found.error !== undefined && <Fault error={found.error} retry={found.reload} />}
        {letter === undefined && found.error === undefined && <Skeleton rows={4} />}
        {letter !== undefined && (
          <>
            <LetterFacts letter={letter} />
            {letter.hidden ? (
              <p class="soft small">{`Viewers do not see messages. This one has ${bytes(letter.size)}.`}</p>
            ) : (
              <Body letter={letter} />
            )}
            {found.error === undefined && (
              <LetterActs letter={letter} blocked={blocked} onGone={close} onChanged={found.reload} />
            )}
          </>
        )}
      </div>
    </section>
  );
}

function LetterFacts({ letter }: { readonly letter: Letter }): JSX.Element {
  const { channel, attempts, parked_at: at, last_error: error } = letter;
  const { subject, metadata } = letter.message;
  return (
    <>
      <div class="fault">
        <span class="code">{`attempt ${whole(attempts)}`}</span>
        <p class="wrap">{visible(error)}</p>
      </div>
      <Facts
        isList
        rows={[
          ['Recipient', <span class="wrap">{recipientText(letter)}</span>],
          [
            'Channel',
            <a class="mono wrap" href={addressOf('channels', channel)}>
              {visible(channel)}
            </a>,
          ],
          ['Parked', <Ago at={at} />],
          ['Edited', <Edits edits={letter.edits} />],
          ...(subject === '' ? [] : [['Subject', <span class="wrap">{visible(subject)}</span>] as const]),
          ...[...metadata].map(([name, value]) => [visible(name), <Name text={value} />] as const),
        ]}
      />
    </>
  );
}

/** Who changed a letter, and when. */
function Edits({ edits }: { readonly edits: Letter['edits'] }): JSX.Element {
  if (edits.length === 0) return <span class="mute">never</span>;
  return (
    <ul class="plain">
      {edits.map(({ by, at }) => (
        <li key={at} class="line tight">
          <span class="wrap">{visible(by) || 'without a subject'}</span>
          <Ago at={at} />
        </li>
      ))}
    </ul>
  );
}

function Body({ letter }: { readonly letter: Letter }): JSX.Element {
  const { truncated: isCut, size } = letter;
  const { body } = letter.message;
  if (size === 0) return <p class="soft small">The message has no body.</p>;
  return (
    <>
      {isCut && (
        <p>
          <Badge tone="warn">{`cut, the body has ${bytes(size)}`}</Badge>
        </p>
      )}
      <PayloadView data={body} encoding={/^\s*[[{]/.test(body) ? 'json' : 'text'} isCut={isCut} />
    </>
  );
}

function LetterActs({
  letter,
  blocked,
  onGone,
  onChanged,
}: {
  readonly letter: Letter;
  readonly blocked: string | undefined;
  readonly onGone: () => void;
  readonly onChanged: () => void;
}): JSX.Element {
  const { id } = letter;
  const [isBusy, setBusy] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const [error, setError] = useState<MsgError>();
  const [parkedBy, setParkedBy] = useState<string>();
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setParkedBy(undefined);
    try {
      await work();
    } catch (cause) {
      setError(toMsgError(cause));
    }
    setBusy(false);
  };
  const send = async (): Promise<void> => {
    const { outcome, last_error: failure } = await call('DlqReplay', { id });
    if (outcome === 'parked') {
      setParkedBy(failure);
      onChanged();
    } else {
      say(OUTCOMES[outcome] ?? outcome);
      onGone();
    }
    reloadAll();
  };
  const throwAway = async (): Promise<void> => {
    await discard({ id });
    onGone();
  };
  return (
    <>
      {parkedBy !== undefined && (
        <div class="fault" role="alert">
          <p class="wrap">{`The delivery failed again: ${visible(parkedBy)}`}</p>
        </div>
      )}
      {error !== undefined && <Fault error={error} />}
      <div class="line tight">
        <ActButton
          method="DlqReplay"
          look="primary"
          blocked={isBusy ? 'The letter is being sent' : blocked}
          onAct={() => void act(send)}
        >
          {isBusy && <span class="spinner" aria-hidden="true" />}
          Send now
        </ActButton>
        <ActButton
          method="DlqUpdate"
          blocked={letter.truncated ? 'The message is too long for this page: msg dlq edit' : undefined}
          onAct={() => setEditing(true)}
        >
          Edit…
        </ActButton>
        <ActButton method="DlqDiscard" look="quiet risky" onAct={() => void act(throwAway)}>
          Discard
        </ActButton>
      </div>
      <Command line={commandLine('dlq', 'replay', id)} isWide />
      <Command line={discardLine([id])} isWide />
      {isEditing && <EditLetter letter={letter} onClose={() => setEditing(false)} onDone={onChanged} />}
    </>
  );
}
