import type { MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Command } from '../parts/basics.tsx';
import { Fault } from '../parts/fault.tsx';
import { Icon, Logo } from '../parts/icon.tsx';
import { loginAddress } from './address.ts';
import { person, refreshSession, type SessionFacts, session, signIn } from './session.ts';
import { ThemeButton } from './theme.tsx';

/** Why there is no session any more. */
const ENDS: Readonly<Record<string, string>> = {
  idle: 'The session ended because it was idle.',
  expired: 'The session has ended.',
  key: 'The session ended because the key of its token was retired.',
  revoked: 'The session ended because its token or its user was revoked.',
  'signed-out': 'You are signed out.',
};

/** Why the session of this page ended; undefined on a page that had none. */
function endOf({ reason = '', volatile: isVolatile }: SessionFacts): string | undefined {
  if (reason !== 'session') return ENDS[reason];
  if (person.value === undefined) return undefined;
  return isVolatile ? 'You are signed out: the server restarted.' : 'The session has ended.';
}

/** What stands before the console: signing in, and why that is not possible. */
export function Entrance(): JSX.Element {
  const facts = session.value;
  const [error, setError] = useState<MsgError>();
  useEffect(() => {
    document.title = 'Sign in · msg console';
  }, []);
  const retry = (): void => {
    setError(undefined);
    refreshSession().catch((cause: unknown) => setError(toMsgError(cause)));
  };
  useEffect(() => {
    if (facts === undefined) retry();
  }, [facts === undefined]);
  return (
    <main class="entrance">
      <div class="line fixed">
        <span class="brand grow">
          <Logo />
          msg console
        </span>
        <ThemeButton />
      </div>
      {facts === undefined && error !== undefined && (
        <>
          <h1>The server does not answer</h1>
          <Fault error={error} retry={retry} />
        </>
      )}
      {facts?.insecure === true && <NeedsHttps />}
      {facts?.insecure === false && facts.mode === 'local' && <NeedsLink reason={endOf(facts)} />}
      {facts?.insecure === false && facts.mode === 'service' && (
        <SignInForm reason={endOf(facts)} isVolatile={facts.volatile} hasProvider={facts.oidc} />
      )}
    </main>
  );
}

function NeedsHttps(): JSX.Element {
  const { port } = location;
  return (
    <section class="panel">
      <div class="stack s4 inner">
        <h1>The console needs HTTPS</h1>
        <p>
          This page was loaded over plain HTTP from another machine, so a token typed here could be
          intercepted. Signing in is refused, and no setting changes that.
        </p>
        <p>Open a tunnel to the server's machine and use the console through it:</p>
        <Command line={`ssh -L ${port || '8000'}:127.0.0.1:${port || '8000'} ${location.hostname}`} isWide />
        <p>
          Behind a proxy that terminates TLS, set <code>console.origin</code> to the address that browsers
          see.
        </p>
      </div>
    </section>
  );
}

function NeedsLink({ reason }: { readonly reason: string | undefined }): JSX.Element {
  return (
    <section class="panel">
      <div class="stack s4 inner">
        <h1>This page needs a link</h1>
        {reason !== undefined && <p role="status">{reason}</p>}
        <p>
          A link works once, within a minute. Press Enter in the terminal where <code>msg console</code> runs,
          and open the new one. If the command has ended, start it again:
        </p>
        <Command line="msg console --open" isWide />
      </div>
    </section>
  );
}

function SignInForm({
  reason,
  isVolatile,
  hasProvider,
}: {
  readonly reason: string | undefined;
  readonly isVolatile: boolean;
  readonly hasProvider: boolean;
}): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const [error, setError] = useState<MsgError>();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => field.current?.focus(), []);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text === '' || isBusy) return;
    // The text goes to the server and nowhere else.
    if (field.current !== null) field.current.value = '';
    setBusy(true);
    setError(undefined);
    try {
      await signIn(text);
    } catch (cause) {
      setError(toMsgError(cause));
      field.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <section class="panel">
      <form class="stack s4 inner" onSubmit={event => void submit(event)}>
        <h1>Sign in</h1>
        {reason !== undefined && (
          <div class="banner note" role="status">
            <Icon name="info" />
            <span>{reason}</span>
          </div>
        )}
        {hasProvider && (
          <>
            <a class="btn primary" href={loginAddress.value} target="_self">
              Sign in with the identity provider
            </a>
            <p class="small soft">Or with a token:</p>
          </>
        )}
        <div class="field">
          <label for="token">Management token</label>
          <input
            class="input mono"
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            ref={field}
            aria-describedby="token-help"
          />
          <span class="help" id="token-help">
            The server prints one when it starts. It is sent once and is not stored.
          </span>
        </div>
        {error !== undefined && <Fault error={error} />}
        <button class={hasProvider ? 'btn' : 'btn primary'} type="submit" disabled={isBusy}>
          {isBusy && <span class="spinner" aria-hidden="true" />}
          Sign in
        </button>
        <p class="small soft">To issue a token for an hour, with one you have:</p>
        <Command line="msg tokens mgmt --ttl 1h" isWide />
        {isVolatile && <p class="small mute">Sessions end with the process of the server.</p>}
      </form>
    </section>
  );
}
