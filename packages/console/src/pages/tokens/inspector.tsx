import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { serverNow } from '../../app/session.ts';
import { ActButton } from '../../parts/act.tsx';
import { Badge, Empty, Facts, Name, State } from '../../parts/basics.tsx';
import { TextField } from '../../parts/field.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { visible } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { CheckToken } from './check-token.tsx';
import { RevokeToken } from './revoke.tsx';
import { momentOf, readToken, type ShownScope, scopesOf, type TokenParts, textOf } from './token-text.ts';

const TYPES: Readonly<Record<string, string>> = {
  access: 'Access token: a client connects and subscribes with it',
  refresh: 'Refresh token: it can be exchanged once for a new pair',
  mgmt: 'Management token: it gives access to the RPC and the console',
};

/** Decodes a token in the page. */
export function Inspector(): JSX.Element {
  const [text, setText] = useState('');
  const token = readToken(text);
  const isOther = text.trim() !== '' && token === undefined;
  return (
    <div class="stack s4">
      <section class="panel" aria-label="Token">
        <div class="inner stack s4 narrow">
          <TextField
            id="token-text"
            label="Token"
            rows={4}
            isName
            text={text}
            isBad={isOther}
            onText={setText}
            help={
              isOther
                ? 'Not a token: a token has three parts, separated by dots. An API key has no content to decode.'
                : 'It is decoded in this page. It is not sent or stored, and it is gone when you leave.'
            }
          />
          <div class="line">
            <button class="btn" type="button" disabled={text === ''} onClick={() => setText('')}>
              Clear
            </button>
          </div>
        </div>
      </section>
      {token === undefined ? (
        <section class="panel">
          <Empty title="No token yet" line="msg tokens mgmt --role viewer --ttl 1h">
            Paste a token to see its subject, its rights, when it expires, and whether this service has the
            key that signed it.
          </Empty>
        </section>
      ) : (
        <Decoded key={text} token={token} text={text.trim()} />
      )}
    </div>
  );
}

function Decoded({ token, text }: { readonly token: TokenParts; readonly text: string }): JSX.Element {
  const { header, claims } = token;
  const [isRevoking, setRevoking] = useState(false);
  const scopes = scopesOf(claims);
  const type = textOf(claims['typ']);
  const jti = textOf(claims['jti']);
  const ends = momentOf(claims['exp']);
  const issued = momentOf(claims['iat']);
  const isOver = ends !== undefined && ends < serverNow();
  return (
    <>
      <section class="panel" aria-labelledby="claims">
        <header>
          <h2 id="claims">{TYPES[type] ?? 'A token of another issuer'}</h2>
          {jti !== '' && (
            <ActButton method="RevokeToken" look="sm risky" onAct={() => setRevoking(true)}>
              Revoke this token…
            </ActButton>
          )}
        </header>
        <div class="body stack s4">
          <Facts
            isList
            rows={[
              ['Subject', <Name text={textOf(claims['sub']) || '–'} />],
              ...(type === 'mgmt'
                ? [['Role', textOf(claims['role']) || 'admin, because the token names no role'] as const]
                : []),
              [
                'Ends',
                ends === undefined ? (
                  'never'
                ) : (
                  <span class="line tight">
                    {isOver && <State tone="bad">Expired</State>}
                    <Until at={ends} />
                  </span>
                ),
              ],
              ['Issued', issued === undefined ? '–' : <Ago at={issued} />],
              ['Key', <KeyOf kid={textOf(header['kid'])} alg={textOf(header['alg'])} />],
              ['Id', <Name text={jti || '–'} />],
              ...(textOf(claims['fid']) === ''
                ? []
                : [['Family', <Name text={textOf(claims['fid'])} />] as const]),
              ...(textOf(claims['iss']) === ''
                ? []
                : [['Issuer', <Name text={textOf(claims['iss'])} />] as const]),
            ]}
          />
          {textOf(claims['fid']) !== '' && (
            <p class="small soft">
              A token and the tokens it was refreshed into form a family. Using a refresh token twice revokes
              the whole family.
            </p>
          )}
        </div>
      </section>
      <Scopes type={type} scopes={scopes} hasScopes={claims['scopes'] !== undefined} />
      <CheckToken token={text} channel={scopes[0]?.pattern ?? ''} />
      {isRevoking && (
        <RevokeToken jti={jti} user={textOf(claims['sub'])} onClose={() => setRevoking(false)} />
      )}
    </>
  );
}

/** Whether this service has the key that the token names. */
function KeyOf({ kid, alg }: { readonly kid: string; readonly alg: string }): JSX.Element {
  // KeyUsage, because ListKeys shows a retired key once.
  const { data } = useCall('KeyUsage', {});
  const key = data?.keys.find(one => one.kid === kid);
  return (
    <span class="line tight">
      <Name text={kid || 'none'} />
      <span class="mute">{visible(alg)}</span>
      {data !== undefined &&
        (key === undefined ? (
          <Badge tone="warn">unknown here</Badge>
        ) : (
          <Badge tone={key.role === 'retired' ? 'bad' : ''}>{key.role}</Badge>
        ))}
    </span>
  );
}

const COLUMNS: readonly Column<ShownScope>[] = [
  { label: 'Channels', show: ({ pattern }) => <Name text={pattern} /> },
  { label: 'Verbs', show: ({ verbs }) => visible(verbs.join(', ')) },
  {
    label: 'Effect',
    show: ({ isDenied }) => (isDenied ? <State tone="bad">Denies</State> : <State tone="ok">Allows</State>),
  },
];

function Scopes({
  type,
  scopes,
  hasScopes,
}: {
  readonly type: string;
  readonly scopes: readonly ShownScope[];
  readonly hasScopes: boolean;
}): JSX.Element {
  return (
    <section class="panel" aria-labelledby="rights">
      <header>
        <h2 id="rights">Rights in channels</h2>
      </header>
      {scopes.length === 0 ? (
        <p class="inner soft small">
          {type === 'mgmt' && !hasScopes
            ? 'It has no scopes, so it covers every channel.'
            : 'It has no scopes. Public channels need no right to subscribe.'}
        </p>
      ) : (
        <Table
          caption="Rights of the token; a denial overrides a grant"
          columns={COLUMNS}
          rows={scopes}
          keyOf={({ pattern, verbs, isDenied }) => [pattern, isDenied, ...verbs].join(' ')}
        />
      )}
    </section>
  );
}
