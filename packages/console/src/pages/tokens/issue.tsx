import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/act.tsx';
import { TextField } from '../../parts/field.tsx';
import { flagsOf, GrantFields, isGood, NO_GRANTS, scopesOf } from '../../parts/grants.tsx';
import { ShownOnce } from '../../parts/once.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { secondsOf, TermFields, termOf } from './term.tsx';

interface IssueProps {
  /** Whose token it is. */
  readonly subject?: string;
  readonly onClose: () => void;
}

const HOUR = 3600;

/** Makes a management token. */
export function IssueMgmt({ subject: first = '', onClose }: IssueProps): JSX.Element {
  const [subject, setSubject] = useState(first);
  const [term, setTerm] = useState(termOf('24h'));
  const [grants, setGrants] = useState(NO_GRANTS);
  const [issued, setIssued] = useState<string>();
  const { role, ttl } = term;
  const seconds = secondsOf(ttl, HOUR, 168 * HOUR);
  if (issued !== undefined)
    return (
      <ShownOnce title="The management token" texts={[['token', issued]]} onClose={onClose}>
        It is shown once and is not stored. Anyone who has it can do what its role allows.
      </ShownOnce>
    );
  return (
    <Confirm
      title="Issue a management token?"
      verb="Issue token"
      line={commandLine(
        'tokens',
        'mgmt',
        '--subject',
        subject,
        '--role',
        role,
        '--ttl',
        ttl,
        ...flagsOf(grants),
      )}
      isReady={subject !== '' && seconds !== undefined && isGood(grants)}
      staysOpen
      onClose={onClose}
      act={async () => {
        const { mgmt_token: token } = await call('IssueMgmt', {
          subject,
          // A token without a role is an admin's, and a node of an earlier version knows no other.
          role: role === 'admin' ? '' : role,
          ttl_seconds: seconds ?? 0,
          scopes: scopesOf(grants),
        });
        setIssued(token);
      }}
    >
      <p>It gives access to the RPC, the command line and the console. The active key signs it.</p>
      <TextField
        id="mgmt-subject"
        label="Subject"
        text={subject}
        onText={text => setSubject(text.trim())}
        help="Who holds the token. The audit shows it."
      />
      <TermFields id="mgmt" term={term} isBad={seconds === undefined} help="1h to 168h" onTerm={setTerm} />
      <GrantFields form={grants} onForm={setGrants} none="Empty: the channels of your own token." />
    </Confirm>
  );
}

/** Makes an access token for a user's session. */
export function IssueAccess({ onClose }: IssueProps): JSX.Element {
  const [subject, setSubject] = useState('');
  const [ttl, setTtl] = useState('5m');
  const [refresh, setRefresh] = useState(true);
  const [grants, setGrants] = useState(NO_GRANTS);
  const [issued, setIssued] = useState<RpcResponse<'IssueAccess'>>();
  const seconds = secondsOf(ttl, 60, HOUR);
  const manages = grants.verbs.includes('manage');
  if (issued !== undefined)
    return (
      <ShownOnce
        title="The tokens"
        texts={[
          ['access token', issued.access_token],
          ...(issued.refresh_token === '' ? [] : [['refresh token', issued.refresh_token] as const]),
        ]}
        onClose={onClose}
      >
        They are shown once and are not stored. The client connects and subscribes with the access token.
      </ShownOnce>
    );
  return (
    <Confirm
      title="Issue an access token?"
      verb="Issue token"
      line={commandLine(
        'tokens',
        'issue',
        subject === '' ? '<subject>' : subject,
        ...flagsOf(grants),
        '--ttl',
        ttl,
        ...(refresh ? [] : ['--no-refresh']),
        ...(manages ? ['--allow-manage'] : []),
      )}
      isReady={subject !== '' && seconds !== undefined && grants.patterns.trim() !== '' && isGood(grants)}
      staysOpen
      onClose={onClose}
      act={async () => {
        const scopes = scopesOf(grants);
        setIssued(
          await call('IssueAccess', {
            subject,
            scopes,
            ttl_seconds: seconds ?? 0,
            refresh,
            allow_manage: manages,
          }),
        );
      }}
    >
      <p>It lets a client use the channels that the patterns match. Private ones must be open.</p>
      <div class="pair">
        <TextField id="access-subject" label="User" text={subject} onText={text => setSubject(text.trim())} />
        <TextField
          id="access-ttl"
          label="Lifetime"
          text={ttl}
          onText={text => setTtl(text.trim())}
          isBad={seconds === undefined}
          help="1m to 1h"
        />
      </div>
      <GrantFields form={grants} onForm={setGrants} none="At least one, such as private:shop.room.*" />
      <label class="line tight fixed">
        <input
          type="checkbox"
          checked={refresh}
          onChange={event => setRefresh(event.currentTarget.checked)}
        />
        With a refresh token
      </label>
    </Confirm>
  );
}
