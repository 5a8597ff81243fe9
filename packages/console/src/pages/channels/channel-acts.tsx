import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { addressOf, go } from '../../app/address.ts';
import { say } from '../../parts/act.tsx';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { commandLine, counted } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { PublishDialog } from './publish.tsx';

/** What can be done with a channel. */
export type ChannelAct = 'publish' | 'touch' | 'close' | 'reopen' | 'unsubscribe' | 'delete';

export interface ChannelActsProps {
  readonly act: ChannelAct;
  readonly name: string;
  readonly subscribers: number;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog of an action. */
export function ChannelActs(props: ChannelActsProps): JSX.Element {
  const { act, name, subscribers, onClose, onDone } = props;
  const those = counted(subscribers, 'subscriber');
  switch (act) {
    case 'publish':
      return <PublishDialog name={name} onClose={onClose} onDone={onDone} />;
    case 'touch':
      return <Touch name={name} onClose={onClose} onDone={onDone} />;
    case 'close':
      return (
        <ConfirmCall
          title="Close this channel?"
          verb="Close channel"
          line={commandLine('channels', 'close', name)}
          method="CloseChannel"
          request={{ name }}
          done="Closed the channel."
          onDone={onDone}
          onClose={onClose}
        >
          <p>{`New subscribers and publications are refused. ${those} ${subscribers === 1 ? 'stays' : 'stay'} and ${subscribers === 1 ? 'receives' : 'receive'} nothing. The channel can be opened again, and its offsets continue.`}</p>
        </ConfirmCall>
      );
    case 'reopen':
      return (
        <ConfirmCall
          title="Open this channel again?"
          verb="Open channel"
          line={commandLine('channels', 'open', name)}
          method="OpenPublic"
          request={{ name }}
          done="Opened the channel."
          onDone={onDone}
          onClose={onClose}
        >
          <p>
            Every client that reaches the service can subscribe to it. Offsets continue where they stopped.
          </p>
        </ConfirmCall>
      );
    case 'unsubscribe':
      return (
        <ConfirmCall
          title={`Unsubscribe ${those}?`}
          verb={`Unsubscribe ${those}`}
          line={commandLine('connections', 'unsubscribe', name, '--all')}
          typed={name}
          method="Unsubscribe"
          request={{ name, all: true }}
          done={({ unsubscribed }) => `Unsubscribed ${counted(unsubscribed, 'subscriber')}.`}
          onDone={onDone}
          onClose={onClose}
        >
          <p>Each gets the code 2000 and does not resubscribe by itself. The connections stay open.</p>
        </ConfirmCall>
      );
    case 'delete':
      return (
        <ConfirmCall
          title="Delete this channel?"
          verb="Delete channel"
          line={commandLine('channels', 'delete', name)}
          isDanger
          typed={name}
          method="DeleteChannel"
          request={{ name }}
          done="Deleted the channel."
          onDone={() => go(addressOf('channels'))}
          onClose={onClose}
        >
          <p>{`Its history is removed and its name cannot be used again. ${those} ${subscribers === 1 ? 'is' : 'are'} unsubscribed with the code 2000.`}</p>
        </ConfirmCall>
      );
  }
}

/** A touch can be repeated, so it needs no confirmation. */
function Touch({
  name,
  onClose,
  onDone,
}: Pick<ChannelActsProps, 'name' | 'onClose' | 'onDone'>): JSX.Element {
  useEffect(() => {
    call('TouchChannel', { name }).then(
      () => {
        say('Touched the channel: its idle time starts again.', {
          line: commandLine('channels', 'touch', name),
        });
        onDone();
      },
      (error: unknown) => {
        const { code, message } = toMsgError(error);
        say(`${code}: ${message}`);
      },
    );
    onClose();
  }, []);
  return <span hidden />;
}
