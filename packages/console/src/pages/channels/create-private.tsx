import { isValidName, type RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/act.tsx';
import { TextField } from '../../parts/field.tsx';
import { ShownOnce } from '../../parts/once.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';

/** Creates a private channel and shows its tokens once. */
export function CreatePrivate({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}): JSX.Element {
  const [name, setName] = useState('private:');
  const [subject, setSubject] = useState('');
  const [made, setMade] = useState<RpcResponse<'CreatePrivate'>>();
  const isGood = isValidName(name) && name.startsWith('private:');
  if (made !== undefined)
    return (
      <ShownOnce
        title="The channel's tokens"
        texts={[
          ['access token', made.access_token],
          ['refresh token', made.refresh_token],
        ]}
        onClose={() => {
          onClose();
          onCreated(made.name);
        }}
      >
        They are shown once and are not stored. A client subscribes with the access token and renews it with
        the refresh token.
      </ShownOnce>
    );
  return (
    <Confirm
      title="Create a private channel?"
      verb="Create channel"
      line={commandLine('channels', 'create', name, ...(subject === '' ? [] : ['--subject', subject]))}
      isReady={isGood}
      staysOpen
      onClose={onClose}
      act={async () => setMade(await call('CreatePrivate', { name, subject }))}
    >
      <p>Only a client with a token for it can subscribe. It opens at once and ends after its idle limit.</p>
      <TextField
        id="private-name"
        label="Name"
        isName
        text={name}
        isBad={name !== 'private:' && !isGood}
        onText={text => setName(text.trim())}
        help="private:app.domain, optionally followed by an id and a topic."
      />
      <TextField
        id="private-subject"
        label="User"
        text={subject}
        onText={text => setSubject(text.trim())}
        help="The subject of the tokens. Empty: anonymous."
      />
    </Confirm>
  );
}
