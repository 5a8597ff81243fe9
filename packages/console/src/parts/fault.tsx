import type { MsgCode, MsgError } from '@msg/core';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { clock } from '../app/clock.ts';
import { DocLink } from './doc-link.tsx';
import { Icon } from './icon.tsx';
import { visible } from './text.ts';

type Remedies = typeof import('./remedies.ts')['CODE_ADVICE'];

/** The remedies, from the first failure of a page on. */
let remedyTable: Remedies | undefined;

/** A text of the documentation: what stands between backticks is code. */
function Marked({ text }: { readonly text: string }): JSX.Element {
  return <>{text.split('`').map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}

/** What to do about a code where the message does not say it. */
function Remedy({ code }: { readonly code: MsgCode }): JSX.Element | null {
  const [remedies, setRemedies] = useState(remedyTable);
  useEffect(() => {
    if (remedyTable !== undefined) return;
    import('./remedies.ts').then(
      ({ CODE_ADVICE }) => {
        remedyTable = CODE_ADVICE;
        setRemedies(CODE_ADVICE);
      },
      () => {}, // the link is left
    );
  }, []);
  const remedy = remedies?.[code]?.remedy;
  if (remedy === undefined) return null;
  return (
    <p class="wrap">
      To do: <Marked text={remedy} />.
    </p>
  );
}

/** Refusals whose message says what to do about them. */
const OWN_REMEDY: ReadonlySet<string> = new Set(['locked', 'origin']);

/** Several parts of a page fail together: a screen reader is told of one. */
const ANNOUNCED_APART_MS = 5000;
let announcedAt = Number.NEGATIVE_INFINITY;

function mayAnnounce(): boolean {
  const now = clock.monotonic();
  if (now - announcedAt < ANNOUNCED_APART_MS) return false;
  announcedAt = now;
  return true;
}

/**
 * What failed, why, what to do, and where to read on, in its place. With `retry` it is a part of a page, else the outcome of
 * what the reader did.
 */
export function Fault({
  error: { code, message, reason },
  retry,
}: {
  readonly error: MsgError;
  readonly retry?: () => void;
}): JSX.Element {
  const [isAnnounced] = useState(() => retry === undefined || mayAnnounce());
  return (
    <div class="fault">
      <span class="code">{code}</span>
      <p class="wrap" role={isAnnounced ? 'alert' : undefined}>
        {visible(message)}
      </p>
      {!OWN_REMEDY.has(reason ?? '') && <Remedy code={code} />}
      <p class="wrap">
        <DocLink heading={`troubleshooting#${code}`} />
      </p>
      {retry !== undefined && (
        <p>
          <button class="btn sm" type="button" onClick={retry}>
            <Icon name="refresh" />
            Try again
          </button>
        </p>
      )}
    </div>
  );
}
