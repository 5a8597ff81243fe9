import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { feedState } from '../feed/use-feed.ts';
import { say } from '../parts/act.tsx';
import { Badge, State } from '../parts/basics.tsx';
import { Icon } from '../parts/icon.tsx';
import { visible } from '../parts/text.ts';
import { Countdown, currentTime } from '../parts/time.tsx';
import { freshness } from '../rpc/use-call.ts';
import { addressOf } from './address.ts';
import type { PageRow } from './pages.ts';
import { isPaletteOpen } from './palette.tsx';
import { changeSession, isLocked, refreshSession, session } from './session.ts';
import { ThemeButton } from './theme.tsx';

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** The bar above every page. */
export function Bar({
  page,
  names,
  onMenu,
}: {
  readonly page: PageRow | undefined;
  readonly names: readonly string[];
  readonly onMenu: () => void;
}): JSX.Element {
  const open = (): void => {
    isPaletteOpen.value = true;
  };
  return (
    <header class="top">
      <button class="btn quiet only only-small" type="button" aria-label="Open navigation" onClick={onMenu}>
        <Icon name="menu" />
      </button>
      <Crumbs page={page} names={names} />
      <button class="goto hide-small" type="button" onClick={open}>
        <Icon name="search" />
        Go to… <kbd>Ctrl K</kbd>
      </button>
      <button class="btn quiet only only-small" type="button" aria-label="Go to" onClick={open}>
        <Icon name="search" />
      </button>
      <Freshness />
      <LockButton />
      <Account />
      <ThemeButton />
    </header>
  );
}

function Crumbs({
  page,
  names,
}: {
  readonly page: PageRow | undefined;
  readonly names: readonly string[];
}): JSX.Element {
  const [name] = names;
  const label = page?.label ?? 'Not found';
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      {name === undefined ? (
        <span aria-current="page" class="clip">
          {label}
        </span>
      ) : (
        <>
          <a href={addressOf(page?.name ?? '')} class="hide-small">
            {label}
          </a>
          <span class="hide-small">
            <Icon name="right" />
          </span>
          <span aria-current="page" class="clip">
            {visible(name)}
          </span>
        </>
      )}
    </nav>
  );
}

/** Whether what the page shows is of now. */
function Freshness(): JSX.Element {
  const { state, at } = freshness.value;
  const moment = CLOCK.format(at);
  if (state === 'live' && feedState.value === 'reconnecting')
    return (
      <span class="small nowrap">
        <State tone="warn">Reconnecting</State>
      </span>
    );
  if (state === 'live') {
    const isFed = feedState.value === 'live';
    const way = isFed ? 'Told as it happens' : 'Asked every 5 s';
    return (
      <span class="small nowrap" title={`${way}, last answer ${moment}`}>
        <State tone="ok">{isFed ? 'Live' : 'Every 5 s'}</State>
      </span>
    );
  }
  return (
    <span class="small nowrap">
      <State tone={state === 'paused' ? 'off' : 'warn'}>
        {state === 'paused' ? `Paused at ${moment}` : `Stale since ${moment}`}
      </State>
    </span>
  );
}

/** Locks and unlocks what changes something. */
function LockButton(): JSX.Element | null {
  const {
    no_auth: isOpen = false,
    role,
    unlocked_until_unix: until = 0,
    expires_at: end = '',
  } = session.value ?? {};
  const untilMs = until * 1000;
  const isOver = until > 0 && currentTime() > untilMs;
  useEffect(() => {
    if (isOver && !isLocked.value) refreshSession().catch(() => {});
  }, [isOver]);
  if (isOpen || role === 'viewer') return null;
  const change = (what: 'lock' | 'unlock'): void => {
    changeSession(what).then(
      () => say(what === 'lock' ? 'Locked: nothing can be changed.' : 'Unlocked for 15 min.'),
      (error: unknown) => say(toMsgError(error).message),
    );
  };
  if (isLocked.value)
    return (
      <button
        class="btn"
        type="button"
        aria-label="Locked. Unlock for 15 min"
        onClick={() => change('unlock')}
      >
        <Icon name="lock" />
        <span class="hide-small">Unlock for 15 min</span>
      </button>
    );
  const lasts = untilMs + 1000 >= Date.parse(end);
  return (
    <button class="btn unlocked" type="button" aria-label="Unlocked. Lock" onClick={() => change('lock')}>
      <Icon name="unlock" />
      <span class="hide-small">Unlocked</span>
      {!lasts && <Countdown at={untilMs} />}
    </button>
  );
}

function Account(): JSX.Element {
  const { subject = '', role = 'viewer', no_auth: isOpen = false } = session.value ?? {};
  const leave = (): void => {
    changeSession('end').catch((error: unknown) => say(toMsgError(error).message));
  };
  return (
    <span class="account line tight fixed">
      <span class="soft clip who-name hide-small" title={visible(subject)}>
        {isOpen ? 'nobody' : visible(subject)}
      </span>
      <span class="hide-small">
        <Badge>{role}</Badge>
      </span>
      {!isOpen && (
        <button class="btn quiet hide-small" type="button" onClick={leave}>
          Sign out
        </button>
      )}
    </span>
  );
}

/** The banner of a session that concerns every page: no authentication, or the role viewer. */
export function ReadOnlyBanner(): JSX.Element | null {
  const { role, no_auth: isOpen = false } = session.value ?? {};
  if (isOpen)
    return (
      <div class="banner bad">
        <Icon name="error" />
        <span>Everyone who reaches this address is admin. Started with --no-auth.</span>
      </div>
    );
  if (role !== 'viewer') return null;
  return (
    <div class="banner">
      <Icon name="eye" />
      <span>Your role is viewer: nothing can be changed, and payloads are hidden.</span>
    </div>
  );
}
