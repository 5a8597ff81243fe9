import type { MsgError, RpcMethodName } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ActButton, Confirm, say } from '../../parts/act.tsx';
import { Badge, Command, Name, State } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { ChoiceField } from '../../parts/field.tsx';
import { commandLine } from '../../parts/text.ts';
import { call } from '../../rpc/client.ts';
import { reloadAll } from '../../rpc/use-call.ts';
import { RetireKey } from './retire.tsx';
import { rotationOf, type UsedKey } from './rotation-state.ts';
import { NewTokens, Waiting } from './waiting.tsx';

const ALGORITHMS = ['HS256', 'EdDSA', 'ES256', 'ES384', 'RS256'].map(alg => [alg, alg] as const);

/** A rotation in five steps. It may be left and found again: the keys themselves tell where it stands. */
export function RotationPanel({ keys }: { readonly keys: readonly UsedKey[] }): JSX.Element {
  const rotation = rotationOf(keys);
  const { step, old, next, active } = rotation;
  const at = { generate: 0, promote: 1, wait: 3, retire: 4 }[step];
  const [isGenerating, setGenerating] = useState(false);
  const [isRetiring, setRetiring] = useState(false);
  const [error, setError] = useState<MsgError>();
  const promote = (): void => {
    setError(undefined);
    call('PromoteKey', { id: next?.kid ?? '' }).then(
      () => {
        say('The new key signs.');
        reloadAll();
      },
      (cause: unknown) => setError(toMsgError(cause)),
    );
  };
  return (
    <section class="panel" aria-labelledby="rotation">
      <header>
        <h2 id="rotation">Rotation</h2>
        <Command line="msg keys rotate --wait" />
      </header>
      <ol class="steps">
        <Step number={0} at={at} title="Generate a key" line={commandLine('keys', 'generate')}>
          {step === 'generate' ? (
            <Act
              method="GenerateKey"
              onAct={() => setGenerating(true)}
              words="The new key verifies at once and signs after it is promoted."
            >
              Generate key…
            </Act>
          ) : (
            <KeyName of={next ?? active} />
          )}
        </Step>
        <Step
          number={1}
          at={at}
          title="Let it sign"
          line={commandLine('keys', 'promote', next?.kid ?? active?.kid ?? '')}
        >
          {step === 'promote' && (
            <Act method="PromoteKey" onAct={promote} words="Tokens of the old key stay valid.">
              Promote key
            </Act>
          )}
        </Step>
        <Step
          number={2}
          at={at}
          title="New management tokens"
          line={commandLine('tokens', 'mgmt')}
          isWithNext
        >
          {old !== undefined && <NewTokens of={old} />}
        </Step>
        <Step
          number={3}
          at={at}
          title="Wait until nothing depends on the old key"
          line={commandLine('keys', 'usage')}
        >
          {old !== undefined && <Waiting of={old} />}
        </Step>
        <Step
          number={4}
          at={at}
          title="Retire the old key"
          line={commandLine('keys', 'retire', old?.kid ?? '')}
        >
          {old !== undefined && (
            <Act
              method="RetireKey"
              look={step === 'retire' ? 'primary' : 'risky'}
              onAct={() => setRetiring(true)}
              words={
                step === 'retire'
                  ? 'It breaks nobody.'
                  : 'Retiring it early breaks every client that still depends on it.'
              }
            >
              {step === 'retire' ? 'Retire key…' : 'Retire early…'}
            </Act>
          )}
        </Step>
      </ol>
      {error !== undefined && (
        <div class="body faults">
          <Fault error={error} />
        </div>
      )}
      {isGenerating && <GenerateKey onClose={() => setGenerating(false)} />}
      {isRetiring && old !== undefined && <RetireKey of={old} onClose={() => setRetiring(false)} />}
    </section>
  );
}

function KeyName({ of }: { readonly of: UsedKey | undefined }): JSX.Element | null {
  return of === undefined ? null : (
    <span class="small">
      <Name text={of.kid} />
    </span>
  );
}

function Step({
  number,
  at,
  title,
  line,
  isWithNext = false,
  children,
}: {
  readonly number: number;
  readonly at: number;
  readonly title: string;
  readonly line: string;
  /** It is done while the step after it waits. */
  readonly isWithNext?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const isNow = number === at || (isWithNext && number + 1 === at);
  const isDone = number < at && !isNow;
  return (
    <li class={isNow ? 'now' : isDone ? 'done' : undefined} aria-current={isNow ? 'step' : undefined}>
      <div class="line">
        <h3>{title}</h3>
        {isDone && <State tone="ok">Done</State>}
        {isNow && <Badge>now</Badge>}
        <span class="grow" />
        {number <= at && <Command line={line} />}
      </div>
      {children}
    </li>
  );
}

function Act({
  method,
  look = 'primary',
  words,
  onAct,
  children,
}: {
  readonly method: RpcMethodName;
  readonly look?: string;
  readonly words: string;
  readonly onAct: () => void;
  readonly children: string;
}): JSX.Element {
  return (
    <div class="line">
      <ActButton method={method} look={look} onAct={onAct}>
        {children}
      </ActButton>
      <span class="small soft">{words}</span>
    </div>
  );
}

function GenerateKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [alg, setAlg] = useState('HS256');
  return (
    <Confirm
      title="Generate a key?"
      verb="Generate key"
      line={commandLine('keys', 'generate', ...(alg === 'HS256' ? [] : ['--alg', alg]))}
      onClose={onClose}
      act={async () => {
        await call('GenerateKey', { alg });
        say('Generated a key.');
        reloadAll();
      }}
    >
      <p>It verifies on every node that shares the keyring, and signs after it is promoted.</p>
      <ChoiceField
        id="key-alg"
        label="Algorithm"
        value={alg}
        choices={ALGORITHMS}
        onChoice={setAlg}
        help="HS256 has one secret. The others publish a public key at /msg/jwks.json."
      />
    </Confirm>
  );
}
