import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { clock } from '../app/clock.ts';
import { serverNow } from '../app/session.ts';
import { ago, span } from './text.ts';

/** The server's time, which moves once a second. */
const now = signal(serverNow());

function tick(): void {
  now.value = serverNow();
  clock.setTimeout(tick, 1000);
}
tick();

const DATE = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });
const DAY_MS = 86_400_000;

function exact(at: number): string {
  return `${FULL.format(at)} (${new Date(at).toISOString()})`;
}

/** When something happened, and in the title the exact moment. `at`: RFC 3339, or Unix milliseconds. */
export function Ago({ at }: { readonly at: string | number }): JSX.Element {
  const moment = typeof at === 'number' ? at : Date.parse(at);
  if (Number.isNaN(moment)) return <span class="mute">–</span>;
  const since = now.value - moment;
  return (
    <time class="nowrap" dateTime={new Date(moment).toISOString()} title={exact(moment)}>
      {since < DAY_MS ? ago(since) : DATE.format(moment)}
    </time>
  );
}

/** A time of day, and in the title the exact moment. */
export function TimeOfDay({ at }: { readonly at: string | number }): JSX.Element {
  const moment = typeof at === 'number' ? at : Date.parse(at);
  if (Number.isNaN(moment)) return <span class="mute">–</span>;
  return (
    <time class="mono nowrap" dateTime={new Date(moment).toISOString()} title={exact(moment)}>
      {`${TIME.format(moment)}.${String(moment % 1000).padStart(3, '0')}`}
    </time>
  );
}

/** How long it is until a moment, Unix milliseconds. */
export function Until({ at }: { readonly at: number }): JSX.Element {
  if (Number.isNaN(at)) return <span class="mute">–</span>;
  const left = at - now.value;
  return (
    <time class="nowrap" dateTime={new Date(at).toISOString()} title={exact(at)}>
      {left > 0 ? `in ${span(left)}` : `${span(-left)} ago`}
    </time>
  );
}

/** 12:41, what is left until a moment. */
export function Countdown({ at }: { readonly at: number }): JSX.Element {
  const seconds = Math.max(0, Math.round((at - now.value) / 1000));
  return <span>{`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`}</span>;
}

/** Server time at the last tick, for what is computed from it. */
export function currentTime(): number {
  return now.value;
}
