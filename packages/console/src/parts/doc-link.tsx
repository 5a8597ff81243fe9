import type { JSX } from 'preact';
import { Name } from './basics.tsx';
import { Icon } from './icon.tsx';

/** Where the documentation is read, a folder; the build writes it (scripts/build-console-pages.ts). */
declare const DOCUMENTATION: string;

const HEADING = /^[\w-]+#[\w-]+$/;

/**
 * A heading of the documentation: `monitoring#msgnodedown`. It leads out of the console, when it is followed.
 *
 * @param text of the link; absent: the place of the heading
 */
export function DocLink({
  heading,
  text,
}: {
  readonly heading: string;
  readonly text?: string;
}): JSX.Element {
  const path = heading.replace('#', '.md#');
  // It may be another version of the service that names it.
  if (!HEADING.test(heading)) return <Name text={`docs/${path}`} />;
  if (text !== undefined)
    return (
      <a
        class="btn quiet sm"
        href={DOCUMENTATION + path}
        title={`docs/${path}`}
        target="_blank"
        rel="noreferrer"
      >
        {text} <Icon name="external" />
      </a>
    );
  return (
    <a class="mono wrap" href={DOCUMENTATION + path} target="_blank" rel="noreferrer">
      {`docs/${path}`}
    </a>
  );
}
