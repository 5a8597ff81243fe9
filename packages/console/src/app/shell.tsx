import type { FunctionComponent, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { say, Toast } from '../parts/act.tsx';
import { Skeleton } from '../parts/basics.tsx';
import { Icon, Logo } from '../parts/icon.tsx';
import { visible, whole } from '../parts/text.ts';
import { reloadAll, useCall } from '../rpc/use-call.ts';
import { addressOf, BASE, parts } from './address.ts';
import { Bar, ReadOnlyBanner } from './bar.tsx';
import { followKeys, isKeyListOpen, KeyList } from './keys.tsx';
import { PAGES, type PageRow } from './pages.ts';
import { isPaletteOpen, Palette } from './palette.tsx';
import { changeSession, isSignedIn, person, refreshSession, refusalOf, session } from './session.ts';
import { Entrance } from './sign-in.tsx';

/** The whole console. */
export function App(): JSX.Element {
  useEffect(() => {
    // The provider leads back to a page of its own tab: the others hear of it here.
    refreshSession(true).catch(() => {});
    return followKeys();
  }, []);
  useEffect(() => {
    if (person.value?.isAnother !== true) return;
    say(`This browser is now signed in as ${visible(person.value.subject)}.`);
    reloadAll();
  }, [person.value]);
  // What is typed on a page stays while the session is begun anew.
  const wasIn = useRef(false);
  useEffect(() => {
    // What was asked without a session failed.
    if (isSignedIn.value && wasIn.current) reloadAll();
    wasIn.current ||= isSignedIn.value;
  }, [isSignedIn.value]);
  return (
    <>
      {(wasIn.current || isSignedIn.value) && (
        <div hidden={!isSignedIn.value}>
          <Shell />
        </div>
      )}
      {!isSignedIn.value && <Entrance />}
    </>
  );
}

function Shell(): JSX.Element {
  const [name = '', ...names] = parts.value;
  const page = PAGES.find(row => row.name === name);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => {
    const title = [names[0], page?.label ?? 'Not found'].filter(part => part !== undefined);
    document.title = `${title.map(visible).join(' · ')} · msg console`;
    setMenuOpen(false);
  }, [page, names[0]]);
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="app">
        <Navigation current={name} isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
        <div class="right">
          <Bar page={page} names={names} onMenu={() => setMenuOpen(true)} />
          <main class="main" id="content" tabIndex={-1}>
            <div class="stack">
              <ReadOnlyBanner />
              {page === undefined ? <NotFound /> : <Loaded key={page.name} page={page} names={names} />}
            </div>
          </main>
        </div>
      </div>
      {isPaletteOpen.value && <Palette />}
      {isKeyListOpen.value && <KeyList />}
      <Toast />
    </>
  );
}

function Loaded({ page, names }: { readonly page: PageRow; readonly names: readonly string[] }): JSX.Element {
  const [found, setFound] = useState<{
    readonly Page: FunctionComponent<{ readonly names: readonly string[] }>;
  }>();
  const [isLost, setLost] = useState(false);
  useEffect(() => {
    page.load().then(
      Page => setFound({ Page }),
      () => setLost(true),
    );
  }, [page]);
  if (isLost)
    return (
      <div class="fault" role="alert">
        <p>A part of the console could not be loaded. The server may have been updated: reload the page.</p>
      </div>
    );
  if (found === undefined) return <Skeleton />;
  const { Page } = found;
  return <Page names={names} />;
}

function NotFound(): JSX.Element {
  return (
    <div class="empty">
      <h1>No such page</h1>
      <p>The console has no page at this address.</p>
      <a class="btn" href={BASE}>
        Go to the overview
      </a>
    </div>
  );
}

const GROUPS = ['', 'Traffic', 'Delivery', 'Access', 'Service'] as const;

function Navigation({
  current,
  isOpen,
  onClose,
}: {
  readonly current: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}): JSX.Element {
  const drawer = useRef<HTMLDialogElement>(null);
  const letters = useLetterCount();
  useEffect(() => {
    if (isOpen) drawer.current?.showModal();
    else drawer.current?.close();
  }, [isOpen]);
  return (
    <>
      <nav class="side" aria-label="Console">
        <NavigationLinks current={current} letters={letters} />
      </nav>
      <dialog class="drawer" ref={drawer} aria-label="Navigation" onClose={onClose}>
        {isOpen && (
          <nav aria-label="Console">
            <button class="btn quiet only" type="button" aria-label="Close navigation" onClick={onClose}>
              <Icon name="x" />
            </button>
            <NavigationLinks current={current} letters={letters} />
          </nav>
        )}
      </dialog>
    </>
  );
}

/** Dead letters of all sinks; 0 while it is not known, and for sessions that may not know it. */
function useLetterCount(): number {
  const isScoped = (session.value?.scopes ?? []).length > 0;
  const skip = isScoped || refusalOf('DlqCount') !== undefined;
  const { data } = useCall('DlqCount', { sink: '' }, { repeats: true, skip });
  return data?.count ?? 0;
}

function NavigationLinks({
  current,
  letters,
}: {
  readonly current: string;
  readonly letters: number;
}): JSX.Element {
  const { version = '', region = '' } = session.value ?? {};
  return (
    <>
      <a class="brand" href={BASE}>
        <Logo />
        msg {region !== '' && <span class="mute tiny env">{visible(region)}</span>}
      </a>
      <div class="groups">
        {GROUPS.map(group => {
          const rows = PAGES.filter(row => row.group === group);
          if (rows.length === 0) return null;
          return (
            <div key={group}>
              {group !== '' && <h2>{group}</h2>}
              <ul>
                {rows.map(({ name, label, icon }) => (
                  <li key={name}>
                    <a href={addressOf(name)} aria-current={name === current ? 'page' : undefined}>
                      <Icon name={icon} />
                      {label}
                      {name === 'dead-letters' && letters > 0 && <span class="count">{whole(letters)}</span>}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      {session.value?.no_auth !== true && (
        <button
          class="btn quiet only-small"
          type="button"
          onClick={() => void changeSession('end').catch(() => {})}
        >
          Sign out
        </button>
      )}
      <div class="who tiny mute">
        msg {version}
        <br />
        {location.host}
      </div>
    </>
  );
}
