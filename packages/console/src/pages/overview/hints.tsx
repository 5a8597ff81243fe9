import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { addressOf } from '../../app/address.ts';
import { Name, State, type Tone } from '../../parts/basics.tsx';
import { DocLink } from '../../parts/doc-link.tsx';
import { counted, sentence, span } from '../../parts/text.ts';
import { currentTime } from '../../parts/time.tsx';
import { wordsOf } from './hint-words.ts';

export type Hint = RpcResponse<'ListNodes'>['hints'][number];

const TONES: Readonly<Record<string, Tone>> = { critical: 'bad', warning: 'warn' };
const ORDER = ['critical', 'warning', 'info'];

/** What an operator should look at, under the names of the alert rules, the worst first. */
export function Hints({ hints }: { readonly hints: readonly Hint[] | undefined }): JSX.Element {
  const sorted = hints?.toSorted((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
  return (
    <section class="panel" aria-labelledby="hints">
      <header>
        <h2 id="hints">
          {sorted === undefined ? (
            'Things to look at'
          ) : sorted.length === 0 ? (
            <State tone="ok">Nothing to look at</State>
          ) : (
            `${counted(sorted.length, 'thing')} to look at`
          )}
        </h2>
        <span class="small mute hide-small">
          {sorted === undefined || sorted.length === 0
            ? 'from the last minute, by the rules of the alerts'
            : 'worst first'}
        </span>
      </header>
      {sorted !== undefined && sorted.length > 0 && (
        <ul class="hints">
          {sorted.map(hint => (
            <Item key={`${hint.name} ${hint.node}`} hint={hint} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Item({ hint }: { readonly hint: Hint }): JSX.Element {
  const { name, node, severity, since, value, threshold, doc } = hint;
  const { title, value: shown, note, way } = wordsOf(name);
  return (
    <li>
      <State tone={TONES[severity] ?? 'off'}>{sentence(severity)}</State>
      <div class="grow">
        <p class="strong" title={name}>
          {title}
          {node !== '' && (
            <>
              {' on '}
              <Name text={node} />
            </>
          )}
        </p>
        {note !== undefined && <p class="soft small">{note}</p>}
        {shown !== undefined && (
          <p class="soft small">
            {`${shown[0]}: ${shown[1](value)}.`}
            {threshold > 0 && ` Threshold: ${shown[1](threshold)}.`}
          </p>
        )}
      </div>
      <Since at={since} />
      <span class="acts">
        {way !== undefined && (
          <a class="btn sm" href={`${addressOf(way[1])}${way[2] === undefined ? '' : `?${way[2]}`}`}>
            {way[0]}
          </a>
        )}
        <DocLink heading={doc} text="Runbook" />
      </span>
    </li>
  );
}

/** For how long something is so. */
function Since({ at }: { readonly at: string }): JSX.Element {
  const moment = Date.parse(at);
  return (
    <time class="since small mute nowrap" dateTime={at} title={new Date(moment).toISOString()}>
      {`for ${span(currentTime() - moment)}`}
    </time>
  );
}
