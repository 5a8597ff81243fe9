import type { SchemaDifference } from '@msg/core';
import type { JSX } from 'preact';
import { Name, State } from '../../parts/basics.tsx';
import { visible } from '../../parts/text.ts';

/** What a version changes for those who read the publications. */
export function Changes({
  changes,
}: {
  readonly changes: readonly (Pick<SchemaDifference, 'path' | 'text'> & { readonly kind: string })[];
}): JSX.Element {
  if (changes.length === 0) return <p class="small soft">Nothing changes for subscribers.</p>;
  return (
    <ul class="plain">
      {changes.map(({ path, kind, text }) => (
        <li key={`${path} ${text}`} class="line tight">
          {kind === 'breaking' ? <State tone="bad">Breaking</State> : <State tone="ok">Additive</State>}
          <Name text={path} />
          <span class="wrap">{visible(text)}</span>
        </li>
      ))}
    </ul>
  );
}
