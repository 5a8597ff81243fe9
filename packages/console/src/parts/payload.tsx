import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { CopyButton } from './basics.tsx';
import { Hex } from './hex.tsx';
import { type JsonNode, readJson } from './lossless.ts';
import { visible, visibleLines } from './text.ts';

type View = 'tree' | 'text' | 'hex';

/** Children that a step of the tree shows. */
const STEP = 200;
/** Characters of a text that stand on the page at once. */
const MAX_TEXT = 65_536;

export interface PayloadProps {
  /** The text of the payload, or its base64. */
  readonly data: string;
  readonly encoding: string;
  /** Only the beginning is here. */
  readonly isCut?: boolean;
}

/** A payload as tree, text or bytes. */
export function PayloadView({ data, encoding, isCut = false }: PayloadProps): JSX.Element {
  const tree = useMemo(
    () => (encoding === 'json' && !isCut ? readJson(data) : undefined),
    [data, encoding, isCut],
  );
  const views: readonly View[] =
    tree === undefined
      ? encoding === 'base64'
        ? ['hex', 'text']
        : ['text', 'hex']
      : ['tree', 'text', 'hex'];
  const [chosen, setChosen] = useState<View>();
  const view = chosen !== undefined && views.includes(chosen) ? chosen : views[0];
  return (
    <div class="stack s3">
      <div class="line fixed">
        <span class="segmented sm grow-none">
          {views.map(one => (
            <label key={one}>
              <input
                type="radio"
                name="payload-view"
                checked={one === view}
                onChange={() => setChosen(one)}
              />
              {one === 'tree' ? 'Tree' : one === 'text' ? 'Text' : 'Hex'}
            </label>
          ))}
        </span>
        <span class="grow" />
        <CopyButton text={data} label="Copy payload" />
      </div>
      <section class="payload" aria-label="Payload" tabIndex={0}>
        {view === 'tree' && tree !== undefined && (
          <div class="tree">
            <Value node={tree} isRoot />
          </div>
        )}
        {view === 'text' && <Text data={data} />}
        {view === 'hex' && <Hex data={data} isBase64={encoding === 'base64'} />}
      </section>
    </div>
  );
}

function Text({ data }: { readonly data: string }): JSX.Element {
  return (
    <pre class="text">
      <Beginning text={data} show={visibleLines} />
    </pre>
  );
}

/** As much of a text as a browser lays out at once. */
function Beginning({
  text,
  show,
}: {
  readonly text: string;
  readonly show: (text: string) => string;
}): JSX.Element {
  const isLong = text.length > MAX_TEXT;
  return (
    <>
      {show(isLong ? text.slice(0, MAX_TEXT) : text)}
      {isLong && (
        <span class="m">{`\n… ${text.length - MAX_TEXT} further characters: copy the payload`}</span>
      )}
    </>
  );
}

function Value({
  node,
  name,
  isRoot = false,
}: {
  node: JsonNode;
  name?: string;
  isRoot?: boolean;
}): JSX.Element {
  const label =
    name === undefined ? null : (
      <>
        <span class="k">{visible(name)}</span>:{' '}
      </>
    );
  if (!('size' in node))
    return (
      <div class="wrap">
        {label}
        <span class={node.kind === 'string' ? 's' : node.kind === 'number' ? 'n' : 'a'}>
          <Beginning text={node.text} show={visible} />
        </span>
      </div>
    );
  return <Branch node={node} label={label} isRoot={isRoot} />;
}

function Branch({
  node,
  label,
  isRoot,
}: {
  readonly node: Extract<JsonNode, { size: number }>;
  readonly label: JSX.Element | null;
  readonly isRoot: boolean;
}): JSX.Element {
  const [isOpen, setOpen] = useState(isRoot);
  const [count, setCount] = useState(STEP);
  const { size, kind } = node;
  const members = useMemo(() => (isOpen ? node.first(count) : []), [node, isOpen, count]);
  return (
    <details open={isOpen} onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>
        {label}
        <span class="m">{kind === 'list' ? `[${size}]` : `{${size}}`}</span>
      </summary>
      {isOpen && (
        <ul>
          {members.map(([name, child], place) => (
            <li key={place}>
              <Value node={child} name={name} />
            </li>
          ))}
          {size > count && (
            <li>
              <button class="link" type="button" onClick={() => setCount(count + STEP)}>
                {`${size - count} more: show ${Math.min(STEP, size - count)}`}
              </button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}
