import { isValidName } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/act.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';

/** Opens a public channel. */
export function OpenChannel({
  onClose,
  onOpened,
}: {
  readonly onClose: () => void;
  readonly onOpened: (name: string) => void;
}): JSX.Element {
  const [name, setName] = useState('public:');
  const [minutes, setMinutes] = useState('');
  const ttl = minutes === '' ? 0 : Math.round(Number(minutes) * 60);
  const isPrivate = name.startsWith('private:');
  const isGood = isValidName(name) && !isPrivate;
  const isTime = Number.isFinite(ttl) && ttl >= 0;
  const line = commandLine('channels', 'open', name, ...(ttl > 0 ? ['--ttl', `${ttl}s`] : []));
  const help = isPrivate
    ? 'A private channel has tokens, which are shown once: msg channels create.'
    : 'public:app.domain, optionally followed by an id and a topic. Letters, digits, - and _.';
  return (
    <Confirm
      title="Open a public channel?"
      verb="Open channel"
      line={line}
      isReady={isGood && isTime}
      onClose={onClose}
      act={async () => {
        await call('OpenPublic', { name, ttl_seconds: ttl });
        onOpened(name);
      }}
    >
      <p>
        Every client that reaches the service can subscribe to it. A channel that is already open does not
        change.
      </p>
      <div class="field">
        <label for="open-name">Name</label>
        <input
          class="input mono"
          id="open-name"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={name !== 'public:' && !isGood}
          aria-describedby="open-help"
          value={name}
          onInput={event => setName(event.currentTarget.value.trim())}
        />
        <span class="help" id="open-help">
          {help}
        </span>
      </div>
      <div class="field">
        <label for="open-ttl">Idle limit, minutes</label>
        <input
          class="input"
          id="open-ttl"
          inputMode="numeric"
          autocomplete="off"
          aria-invalid={!isTime}
          aria-describedby="open-ttl-help"
          value={minutes}
          onInput={event => setMinutes(event.currentTarget.value.trim())}
        />
        <span class="help" id="open-ttl-help">
          {isTime
            ? 'The channel closes after this long without activity. Empty: the limit of the configuration.'
            : 'Must be a number of minutes.'}
        </span>
      </div>
    </Confirm>
  );
}
