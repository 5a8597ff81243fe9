import type { JSX } from 'preact';
import { addressOf } from '../../app/address.ts';
import { refusalOf } from '../../app/session.ts';
import { Empty } from '../../parts/basics.tsx';
import { Answer, type Column, Table } from '../../parts/table.tsx';
import { visible } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { type AuditRecord, Outcome, Target } from '../audit.tsx';

/** What a call did to its target, and what it tried to do when it was refused. */
const DEEDS: Readonly<Record<string, readonly [did: string, todo: string]>> = {
  OpenPublic: ['Opened', 'open'],
  CreatePrivate: ['Created', 'create'],
  TouchChannel: ['Touched', 'touch'],
  CloseChannel: ['Closed', 'close'],
  DeleteChannel: ['Deleted', 'delete'],
  RemoveHistory: ['Removed the history of', 'remove the history of'],
  Publish: ['Published into', 'publish into'],
  Disconnect: ['Disconnected', 'disconnect'],
  Unsubscribe: ['Unsubscribed clients from', 'unsubscribe clients from'],
  StartRecording: ['Recorded', 'record'],
  DlqUpdate: ['Edited', 'edit'],
  DlqReplay: ['Replayed', 'replay'],
  DlqRedrive: ['Redrove', 'redrive'],
  DlqJobStop: ['Stopped', 'stop'],
  DlqDiscard: ['Discarded', 'discard'],
  DlqRestore: ['Restored', 'restore'],
  RevokeToken: ['Revoked', 'revoke'],
  RevokeUser: ['Revoked', 'revoke'],
  IssueMgmt: ['Issued a management token for', 'issue a management token for'],
  IssueAccess: ['Issued an access token for', 'issue an access token for'],
  CreateApiKey: ['Created', 'create'],
  RotateApiKey: ['Rotated', 'rotate'],
  RevokeApiKey: ['Revoked', 'revoke'],
  GenerateKey: ['Generated', 'generate'],
  PromoteKey: ['Promoted', 'promote'],
  RetireKey: ['Retired', 'retire'],
  RegisterSchema: ['Registered', 'register'],
  UpdateSchema: ['Updated', 'update'],
  DeregisterSchema: ['Deregistered', 'deregister'],
  SignIn: ['Signed in', 'sign in'],
  SignOut: ['Signed out', 'sign out'],
  Unlock: ['Unlocked the session', 'unlock the session'],
};

function Deed({ of: { method, target, outcome } }: { readonly of: AuditRecord }): JSX.Element {
  const deed = DEEDS[method];
  const isDone = outcome === 'ok' || outcome === 'started';
  return (
    <span class="wrap">
      {deed === undefined ? (
        <span class="mono">{method}</span>
      ) : (
        <span title={method}>{isDone ? deed[0] : `Tried to ${deed[1]}`}</span>
      )}
      {target !== '' && (
        <>
          {' '}
          <Target target={target} />
        </>
      )}
    </span>
  );
}

const COLUMNS: readonly Column<AuditRecord>[] = [
  { label: 'When', show: ({ at }) => <Ago at={at} /> },
  {
    label: 'Who',
    show: ({ actor }) => (
      <span class="wrap">{actor === '' ? <span class="mute">anonymous</span> : visible(actor)}</span>
    ),
    isWide: true,
  },
  { label: 'What', show: record => <Deed of={record} /> },
  { label: 'Through', show: ({ via }) => <span class="mute">{via}</span>, isWide: true },
  { label: 'Outcome', show: ({ outcome }) => <Outcome outcome={outcome} /> },
];

/** What operators changed lately. */
export function LastActions(): JSX.Element {
  const refusal = refusalOf('AuditList');
  const list = useCall('AuditList', { limit: 8 }, { repeats: true, skip: refusal !== undefined });
  return (
    <section class="panel" aria-labelledby="last-actions">
      <header>
        <h2 id="last-actions">Last actions</h2>
        <a class="small" href={addressOf('audit')}>
          Audit
        </a>
      </header>
      {refusal !== undefined ? (
        <p class="inner soft small">{`${refusal}.`}</p>
      ) : (
        <Answer call={list}>
          {({ records }) =>
            records.length === 0 ? (
              <Empty title="Nothing was changed yet" line="msg audit list">
                Every change by an operator appears here, from the console, the command line and the API.
              </Empty>
            ) : (
              <Table
                caption="Last actions of operators"
                columns={COLUMNS}
                rows={records}
                keyOf={({ id }) => id}
                isDense
              />
            )
          }
        </Answer>
      )}
    </section>
  );
}
