import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { clock } from '../app/clock.ts';
import { Icon } from './icon.tsx';
import { breakOf, visible } from './text.ts';

export type Tone = 'ok' | 'warn' | 'bad' | 'off';

const SHAPES: Readonly<Record<Tone, string>> = {
  ok: 'M1 5a4 4 0 1 0 8 0a4 4 0 1 0-8 0',
  warn: 'M5 .8 9.6 9H.4z',
  bad: 'M5 0l5 5-5 5-5-5z',
  off: 'M1.4 5a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0',
};

/** A state of something: shape, colour and word. */
export function State({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`state ${tone}`}>
      <svg viewBox="0 0 10 10" aria-hidden="true">
        <path d={SHAPES[tone]} />
      </svg>
      {children}
    </span>
  );
}

/** A property of what stands beside it. */
export function Badge({
  tone = '',
  children,
}: {
  readonly tone?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A name that a user or operator chose. */
export function Name({ text }: { readonly text: string }): JSX.Element {
  return <span class={`mono ${breakOf(text)}`}>{visible(text)}</span>;
}

/** The command that does the same, with a button that copies it. */
export function Command({
  line,
  isWide = false,
}: {
  readonly line: string;
  readonly isWide?: boolean;
}): JSX.Element {
  return (
    <span class={isWide ? 'cmd wide' : 'cmd'}>
      <code title={isWide ? undefined : line}>{line}</code>
      <CopyButton text={line} label="Copy command" />
    </span>
  );
}

const COPIED_MS = 2000;

/** Copies a text; says so for two seconds. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = clock.setTimeout(() => setCopied(false), COPIED_MS);
    return () => clock.clearTimeout(timer);
  }, [isCopied]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {},
    );
  };
  return (
    <>
      <button class="btn quiet only sm" type="button" aria-label={label} title={label} onClick={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} />
      </button>
      <span class="sr" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}

/** What would be here, how it gets here, and the command or the page that leads on. */
export function Empty({
  title,
  line,
  way,
  children,
}: {
  readonly title: string;
  readonly line?: string;
  readonly way?: { readonly to: string; readonly text: string };
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{children}</p>
      {line !== undefined && <Command line={line} />}
      {way !== undefined && (
        <a class="btn" href={way.to}>
          {way.text}
        </a>
      )}
    </div>
  );
}

/** What a page shows to a session that may not read it. */
export function NotAllowed({ reason }: { readonly reason: string }): JSX.Element {
  return (
    <section class="panel">
      <Empty title="Your role cannot read this">{`${reason}.`}</Empty>
    </section>
  );
}

/** Rows of the size of what comes. */
export function Skeleton({ rows = 6 }: { readonly rows?: number }): JSX.Element {
  return (
    <div class="waiting" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span class="skeleton" key={row} />
      ))}
    </div>
  );
}

/** Facts about one thing. */
export function Facts({
  rows,
  isList = false,
  isOneLine = false,
}: {
  readonly rows: readonly (readonly [label: string, value: ComponentChildren])[];
  readonly isList?: boolean;
  /** A wide screen has all of them side by side. */
  readonly isOneLine?: boolean;
}): JSX.Element {
  return (
    <dl class={isList ? 'facts rows' : isOneLine ? 'facts one-line' : 'facts'}>
      {rows.map(([label, value]) =>
        isList ? (
          <>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </>
        ) : (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** The head of a page. */
export function PageHead({
  title,
  sub,
  children,
  isName = false,
}: {
  readonly title: string;
  readonly sub?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** The title is a name that a user or operator chose. */
  readonly isName?: boolean;
}): JSX.Element {
  return (
    <div class="pagehead">
      <div>
        <h1 class={isName ? 'mono wrap' : undefined}>{visible(title)}</h1>
        {sub !== undefined && <p class="sub">{sub}</p>}
      </div>
      {children !== undefined && <div class="line tight">{children}</div>}
    </div>
  );
}
