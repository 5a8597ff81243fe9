import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ActButton } from '../../parts/act.tsx';
import { Badge, Empty, Name } from '../../parts/basics.tsx';
import { Answer, type Column, Table } from '../../parts/table.tsx';
import { counted } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { CreateApiKey, RevokeApiKey, RotateApiKey } from './api-key-acts.tsx';

type ApiKey = RpcResponse<'ListApiKeys'>['keys'][number];
type Secret = ApiKey['secrets'][number];

function Secrets({ secrets }: { readonly secrets: readonly Secret[] }): JSX.Element {
  return (
    <ul class="plain">
      {secrets.map(({ slot, id, last_used_at: used, expires_at: ends }) => (
        <li key={slot} class="line tight">
          <Name text={id || `secret ${slot + 1}`} />
          <span class="mute">
            {used === '' ? (
              'not used on this node'
            ) : (
              <>
                used <Ago at={used} />
              </>
            )}
            {ends !== '' && (
              <>
                , ends <Until at={Date.parse(ends)} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The keys of back ends. */
export function ApiKeys(): JSX.Element {
  const list = useCall('ListApiKeys', {}, { repeats: true });
  const [act, setAct] = useState<readonly ['create' | 'rotate' | 'revoke', name: string]>();
  const close = (): void => setAct(undefined);
  const columns: readonly Column<ApiKey>[] = [
    {
      label: 'Name',
      show: ({ name, declared }) => (
        <span class="line tight">
          <Name text={name} />
          {declared && <Badge>configuration</Badge>}
        </span>
      ),
    },
    { label: 'Role', show: ({ role }) => role },
    {
      label: 'Rights',
      show: ({ grants }) =>
        grants.length === 0 ? (
          <span class="mute">every channel</span>
        ) : (
          <Name text={grants.map(({ pattern, verbs }) => `${pattern} ${verbs.join(',')}`).join('; ')} />
        ),
      isFull: true,
    },
    { label: 'Secrets', show: ({ secrets }) => <Secrets secrets={secrets} />, isFull: true },
    {
      label: 'Ends',
      show: ({ expires_at: at }) =>
        at === '' ? <span class="mute">never</span> : <Until at={Date.parse(at)} />,
    },
    {
      label: '',
      isNumber: true,
      isFull: true,
      show: ({ name, declared }) => {
        const blocked = declared ? 'Declared in the configuration: change it there' : undefined;
        return (
          <span class="line tight">
            <ActButton
              method="RotateApiKey"
              look="sm"
              blocked={blocked}
              onAct={() => setAct(['rotate', name])}
            >
              Rotate…
            </ActButton>
            <ActButton
              method="RevokeApiKey"
              look="sm quiet risky"
              blocked={blocked}
              onAct={() => setAct(['revoke', name])}
            >
              Revoke…
            </ActButton>
          </span>
        );
      },
    },
  ];
  return (
    <section class="panel" aria-labelledby="api-keys">
      <header>
        <h2 id="api-keys">
          {list.data === undefined ? 'API keys' : counted(list.data.keys.length, 'API key')}
        </h2>
        <ActButton method="CreateApiKey" look="sm primary" onAct={() => setAct(['create', ''])}>
          Create API key…
        </ActButton>
      </header>
      <Answer call={list}>
        {({ keys }) =>
          keys.length === 0 ? (
            <Empty title="No API key" line="msg api-keys create shop">
              A back end calls the service with an API key. It does not have to be renewed and is rotated
              without a gap. Create keys here, or declare them in the configuration.
            </Empty>
          ) : (
            <Table caption="API keys" columns={columns} rows={keys} keyOf={({ name }) => name} />
          )
        }
      </Answer>
      {act?.[0] === 'create' && <CreateApiKey onClose={close} />}
      {act?.[0] === 'rotate' && <RotateApiKey name={act[1]} onClose={close} />}
      {act?.[0] === 'revoke' && <RevokeApiKey name={act[1]} onClose={close} />}
    </section>
  );
}
