import type { JSX } from 'preact';
import { bytes, visible, whole } from '../../parts/text.ts';
import { TimeOfDay } from '../../parts/time.tsx';
import type { Publication } from './publication-panel.tsx';

/** A publication, or words about what happened between two of them. */
export type PublicationRow =
  | { readonly key: number; readonly publication: Publication }
  | { readonly key: number; readonly words: string };

/** Publications, the newest first. One of them can be open beside the table. */
export function PublicationTable({
  rows,
  open,
  onOpen,
}: {
  readonly rows: readonly PublicationRow[];
  readonly open: number | undefined;
  /** Opens a row; undefined closes it. */
  readonly onOpen: (key: number | undefined) => void;
}): JSX.Element {
  return (
    <div class="tablewrap">
      <table class="table compact tail">
        <caption>Publications, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col" class="num">
              Offset
            </th>
            <th scope="col" class="num">
              Size
            </th>
            <th scope="col">Payload</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row =>
            'words' in row ? (
              <tr class="between" key={row.key}>
                <td colSpan={4}>{row.words}</td>
              </tr>
            ) : (
              <Row
                key={row.key}
                publication={row.publication}
                isOpen={row.key === open}
                onToggle={() => onOpen(row.key === open ? undefined : row.key)}
              />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Row({
  publication,
  isOpen,
  onToggle,
}: {
  readonly publication: Publication;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}): JSX.Element {
  const { offset, at, size } = publication;
  return (
    <tr class={isOpen ? 'selected' : undefined}>
      <td>{at === '' ? <span class="mute">–</span> : <TimeOfDay at={at} />}</td>
      <th scope="row" class="num">
        <button class="link mono" type="button" aria-expanded={isOpen} onClick={onToggle}>
          {offset === 0 ? 'Open' : whole(offset)}
        </button>
      </th>
      <td class="num mono">{bytes(size)}</td>
      <td class="mono peek">
        <Peek publication={publication} />
      </td>
    </tr>
  );
}

function Peek({
  publication: { data, hidden, encoding },
}: {
  readonly publication: Publication;
}): JSX.Element {
  if (hidden) return <span class="mute">hidden from viewers</span>;
  if (encoding === 'base64')
    return (
      <>
        <span class="mute">binary, base64: </span>
        {data.slice(0, 200)}
      </>
    );
  return <>{visible(data.slice(0, 300))}</>;
}
