import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { query, withQuery } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Command, PageHead } from '../../parts/basics.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Inspector } from './inspector.tsx';
import { IssueAccess, IssueMgmt } from './issue.tsx';
import { RevokeToken } from './revoke.tsx';

const TABS = [
  ['', 'Inspect a token'],
  ['api-keys', 'API keys'],
] as const;

/** What opens the service: tokens and API keys. */
export function TokensPage(): JSX.Element {
  const tab = query.value.get('tab') ?? '';
  const [act, setAct] = useState<'mgmt' | 'access' | 'revoke'>();
  const close = (): void => setAct(undefined);
  return (
    <>
      <PageHead title="Tokens" sub="Inspect, issue and revoke tokens, and manage the API keys of back ends.">
        <ActButton method="IssueMgmt" onAct={() => setAct('mgmt')}>
          Management token…
        </ActButton>
        <ActButton method="IssueAccess" onAct={() => setAct('access')}>
          Access token…
        </ActButton>
        <ActButton method="RevokeToken" look="risky" onAct={() => setAct('revoke')}>
          Revoke…
        </ActButton>
        <Command line={tab === '' ? 'msg tokens inspect -' : 'msg api-keys list'} />
      </PageHead>
      <nav class="tabs" aria-label="Tokens">
        {TABS.map(([name, label]) => (
          <a key={name} href={withQuery({ tab: name })} aria-current={name === tab ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      {tab === 'api-keys' ? <ApiKeys /> : <Inspector />}
      {act === 'mgmt' && <IssueMgmt onClose={close} />}
      {act === 'access' && <IssueAccess onClose={close} />}
      {act === 'revoke' && <RevokeToken onClose={close} />}
    </>
  );
}
