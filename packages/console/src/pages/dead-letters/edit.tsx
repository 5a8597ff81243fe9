import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm, say } from '../../parts/act.tsx';
import { TextField } from '../../parts/field.tsx';
import { commandLine, visible } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import type { Letter } from './letters-of.ts';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function metadataOf(text: string): ReadonlyMap<string, string> | undefined {
  const value = parsed(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  return entries.every(([, member]) => typeof member === 'string') ? new Map(entries) : undefined;
}

/** Changes whom a letter is for, or what is in it. */
export function EditLetter({
  letter,
  onClose,
  onDone,
}: {
  readonly letter: Letter;
  readonly onClose: () => void;
  readonly onDone: () => void;
}): JSX.Element {
  const first = {
    recipient: JSON.stringify(letter.recipient),
    subject: letter.message.subject,
    body: letter.message.body,
    metadata: JSON.stringify(Object.fromEntries(letter.message.metadata)),
  };
  const [form, setForm] = useState(first);
  const set = (name: keyof typeof first) => (text: string) => setForm({ ...form, [name]: text });
  const recipient = parsed(form.recipient);
  const metadata = metadataOf(form.metadata);
  const changed = (['recipient', 'subject', 'body', 'metadata'] as const).filter(
    name => form[name] !== first[name],
  );
  const isMessage = changed.some(name => name !== 'recipient');
  return (
    <Confirm
      title={`Edit the letter ${visible(letter.id)}?`}
      verb="Save letter"
      line={commandLine('dlq', 'edit', letter.id, ...changed.map(name => `--${name}=${form[name]}`))}
      isReady={changed.length > 0 && recipient !== undefined && metadata !== undefined}
      onClose={onClose}
      act={async () => {
        const message = { subject: form.subject, body: form.body, metadata: metadata ?? new Map() };
        await call('DlqUpdate', {
          id: letter.id,
          recipient: changed.includes('recipient') ? recipient : null,
          message: isMessage ? message : null,
        });
        say('Saved the letter.');
        onDone();
        reloadAll();
      }}
    >
      <p>
        The letter keeps its id, its attempts and its position. Saving does not send it. The letter records
        who changed it.
      </p>
      <TextField
        id="edit-recipient"
        label="Recipient, in the sink's format"
        isName
        rows={2}
        text={form.recipient}
        isBad={recipient === undefined}
        onText={set('recipient')}
        help={recipient === undefined ? 'Not valid JSON.' : 'The sink checks it.'}
      />
      <TextField id="edit-subject" label="Subject" text={form.subject} onText={set('subject')} />
      <TextField id="edit-body" label="Text" isName rows={6} text={form.body} onText={set('body')} />
      <TextField
        id="edit-metadata"
        label="Metadata"
        isName
        text={form.metadata}
        isBad={metadata === undefined}
        onText={set('metadata')}
        help="A JSON object whose values are strings."
      />
    </Confirm>
  );
}
