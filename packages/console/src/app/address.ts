import { computed, signal } from '@preact/signals';

/** The path of the console in this browser, with its slash: `/console/`. */
export const BASE = new URL(document.baseURI).pathname;

/** Where the reader is: the address is the only state of a page that outlives it. */
const here = signal(new URL(location.href));

/** The page's path below the base: empty, or `channels/public%3Ashop.news`. */
const path = computed(() => here.value.pathname.slice(BASE.length));

/** The parts of the path, decoded. */
export const parts = computed(() =>
  path.value
    .split('/')
    .filter(part => part !== '')
    .map(decoded),
);

/** The query of the address. */
export const query = computed(() => here.value.searchParams);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Where signing in at the identity provider begins, and comes back to this page. */
export const loginAddress = computed(
  () => `${BASE}login/oidc?return=${encodeURIComponent(here.value.pathname + here.value.search)}`,
);

/** The address of a page: its name and the names below it. */
export function addressOf(...names: readonly string[]): string {
  return BASE + names.map(encodeURIComponent).join('/');
}

/** An address with other members of the query; an empty value removes one. */
export function withQuery(members: Readonly<Record<string, string>>): string {
  const url = new URL(here.value);
  for (const [name, value] of Object.entries(members)) {
    if (value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  return url.pathname + url.search;
}

/** Goes to an address of the console. */
export function go(address: string, how: 'push' | 'replace' = 'push'): void {
  const url = new URL(address, location.origin);
  if (url.href === here.value.href) return;
  if (how === 'push') history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  const isOtherPage = url.pathname !== here.value.pathname;
  here.value = url;
  if (isOtherPage) scrollTo(0, 0);
}

/** Changes the query in place, as filters do. */
export function setQuery(members: Readonly<Record<string, string>>): void {
  go(withQuery(members), 'replace');
}

/** Follows links of the console and the buttons of the browser. */
export function followAddress(): void {
  addEventListener('popstate', () => {
    here.value = new URL(location.href);
  });
  document.addEventListener('click', event => {
    const link = (event.target as Element).closest('a');
    if (link === null || event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || link.target !== '') return;
    const url = new URL(link.href);
    if (url.origin !== location.origin || !url.pathname.startsWith(BASE) || link.hasAttribute('download'))
      return;
    if (link.getAttribute('href')?.startsWith('#') === true) return;
    event.preventDefault();
    go(url.pathname + url.search);
  });
}
