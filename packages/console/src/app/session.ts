import { METHODS, MsgError, type Role, type RpcMethodName, type Scope } from '@msg/core';
import { coversRole, errorOfAnswer } from '@msg/core/internal';
import { computed, signal } from '@preact/signals';
import { BASE } from './address.ts';
import { clock } from './clock.ts';

/** What the server says about the session of this browser. */
export interface SessionFacts {
  readonly signed_in: boolean;
  /** `local`: `msg console`, in front of a server elsewhere. */
  readonly mode: 'service' | 'local';
  /** Why there is no session: `idle`, `expired`, `key`, `revoked`, `signed-out`, `session`. */
  readonly reason?: string;
  readonly subject: string;
  readonly role: Role;
  readonly scopes: readonly Scope[];
  readonly expires_at?: string;
  readonly locked?: boolean;
  readonly unlocked_until_unix?: number;
  readonly no_auth?: boolean;
  readonly insecure: boolean;
  /** Operators sign in at the identity provider, too. */
  readonly oidc: boolean;
  /** Sessions end with the process. */
  readonly volatile: boolean;
  readonly version: string;
  readonly region: string;
  readonly now_unix: number;
}

/** Absent before the first answer. */
export const session = signal<SessionFacts | undefined>(undefined);
/** Server time minus the browser's, milliseconds. */
const ahead = signal(0);

/** The server's time, Unix milliseconds, which remaining times are counted by. */
export function serverNow(): number {
  return clock.now() + ahead.value;
}

export const isSignedIn = computed(() => session.value?.signed_in === true);

async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(BASE + path, { credentials: 'same-origin', redirect: 'error', ...init });
    text = await answer.text();
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', 'the server does not answer', { cause });
  }
  const value: unknown = text === '' ? undefined : parsed(text);
  if (!answer.ok) throw errorOfAnswer(answer.status, value);
  return value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The headers by which the server knows its own page. */
export const OWN_HEADERS = { 'content-type': 'application/json', 'x-msg-console': '1' } as const;

function post(path: string, body?: object): Promise<unknown> {
  return ask(path, {
    method: 'POST',
    headers: OWN_HEADERS,
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** Who was signed in last, and whether it is another person than before. */
export const person = signal<{ readonly subject: string; readonly isAnother: boolean } | undefined>(
  undefined,
);

/** A browser has one session: its other tabs are told when it begins or ends. */
const tabs = new BroadcastChannel(`msg-console ${BASE}`);
tabs.addEventListener('message', () => void refreshSession().catch(() => {}));

function accept(value: unknown): void {
  const facts = value as SessionFacts; // of our own server
  const { subject } = facts;
  const before = person.peek();
  if (facts.signed_in && before?.subject !== subject)
    person.value = { subject, isAnother: before !== undefined };
  ahead.value = facts.now_unix * 1000 - clock.now();
  session.value = facts;
}

/** How often a session began or ended on this page. What was asked before that answers about the past. */
let turns = 0;

export function sessionTurn(): number {
  return turns;
}

/**
 * Reads who is signed in, unless the session of this page begins or ends meanwhile.
 * @param tells the other tabs ask, too @throws MsgError
 */
export async function refreshSession(tells = false): Promise<void> {
  const asked = turns;
  const facts = await ask('session');
  if (asked === turns) accept(facts);
  if (tells) tabs.postMessage('opened');
}

/** @throws MsgError with the reason */
export async function signIn(token: string): Promise<void> {
  begin(await post('session', { token }));
}

function begin(facts: unknown): void {
  turns++;
  accept(facts);
  tabs.postMessage('began');
}

const LINK = /^#code=([\w-]{43})$/;

/** Exchanges the code of a link that `msg console` printed for a session. The code leaves the address at once. */
export async function followLink(): Promise<void> {
  const code = LINK.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  // A link that is over changes nothing: the page then says how to get another one.
  await post('session', { code }).then(begin, () => {});
}

/** Unlocks, locks or ends the session. @throws MsgError */
export async function changeSession(what: 'unlock' | 'lock' | 'end'): Promise<void> {
  await post(`session/${what}`);
  tabs.postMessage(what);
  if (what === 'end') end('signed-out');
  else await refreshSession();
}

/**
 * A call said that the session has ended. What is typed on the page stays, and so does the reason that it shows.
 * @param asked the turn in which the call began
 */
export function sessionEnded(reason: string, asked: number): void {
  if (isSignedIn.value && asked === turns) end(reason);
}

function end(reason: string): void {
  turns++;
  if (session.value !== undefined) session.value = { ...session.value, signed_in: false, reason };
}

/** Whether methods that change something are refused until the session is unlocked. */
export const isLocked = computed(() => session.value?.locked === true);

/** Why a method is not for this session; undefined where it is. The server decides again. */
export function refusalOf(name: RpcMethodName): string | undefined {
  const { role = 'viewer' } = session.value ?? {};
  const { rights } = METHODS[name];
  if (rights.role !== null && !coversRole(role, rights.role))
    return `Needs the role ${rights.role}; yours is ${role}`;
  return rights.effect === 'write' && isLocked.value ? 'Locked: unlock to change something' : undefined;
}
