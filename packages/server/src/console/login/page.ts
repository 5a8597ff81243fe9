import { MsgError } from '@msg/core';

/** A page that the server writes, without scripts. */
export interface WrittenPage {
  readonly title: string;
  /** Markup of the body. */
  readonly body: string;
}

const AGAIN = 'Go back and sign in again, in this browser and within ten minutes.';
/** What helps, by the reason of the refusal. */
const REMEDIES: ReadonlyMap<string | undefined, string> = new Map([
  [
    'login',
    `${AGAIN} Cookies have to be allowed, and the address of the page has to be the one in console.origin.`,
  ],
  ['state', AGAIN],
  [
    'provider',
    'access_denied: you or a rule of the provider refused. invalid_client: console.oidc.client_secret. ' +
      'Any other: the log of the provider says why.',
  ],
  ['unreachable', 'Look whether the provider runs and the server reaches it, then sign in again.'],
  [
    'answer',
    'The client of the console at the provider must be the one in console.oidc.client_id; clocks may differ by 30 s.',
  ],
  [
    'role',
    'An administrator of the service adds a row for one of your groups to auth.oidc.roles or auth.oidc.grants.',
  ],
  ['https', 'Open the console at the address in console.origin.'],
  ['origin', 'Open the console itself, and press the button there.'],
]);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, sign => ENTITIES[sign] ?? '');
}

function entrance(heading: string, inner: string, link: string): string {
  return `<main class="entrance"><section class="panel"><div class="stack s4 inner"><h1>${heading}</h1>${inner}${link}</div></section></main>`;
}

/** The page of a sign-in that failed: cause and remedy. */
export function failedPage(error: unknown, base: string): WrittenPage {
  const cause = error instanceof MsgError ? error.message : 'the server failed; its log says why';
  const remedy =
    REMEDIES.get(error instanceof MsgError ? error.reason : undefined) ??
    'Wait a little, then sign in again.';
  const inner = `<p role="alert">${escaped(cause)}.</p><p>${escaped(remedy)}</p>`;
  const link = `<a class="btn primary" href="${escaped(base)}">Back to sign in</a>`;
  return {
    title: 'Not signed in · msg console',
    body: entrance('You are not signed in', inner, link),
  };
}

/** The page of a sign-in that succeeded; the browser moves on by itself. */
export function donePage(address: string): WrittenPage {
  const link = `<a class="btn primary" href="${escaped(address)}">Go on</a>`;
  return { title: 'Signed in · msg console', body: entrance('You are signed in', '', link) };
}
