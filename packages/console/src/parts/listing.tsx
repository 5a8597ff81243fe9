import type { ComponentChildren, JSX } from 'preact';
import { go, query, setQuery, withQuery } from '../app/address.ts';
import type { Call } from '../rpc/use-call.ts';
import { Icon } from './icon.tsx';
import { Answer, Table, type TableProps } from './table.tsx';
import { whole } from './text.ts';

/** How many rows a page can have. The first is the default. */
const SIZES = [50, 100, 200];

/** The page of a listing that the address names, as members of a request. */
export function pageAsked(): { readonly cursor: string; readonly limit: number } {
  const size = Number(query.value.get('size'));
  return { cursor: query.value.get('cursor') ?? '', limit: SIZES.includes(size) ? size : 50 };
}

interface MissingNode {
  readonly node: string;
  readonly reason: string;
}

/** What every listing answers. */
interface Page {
  readonly next_cursor: string;
  readonly total?: number;
  readonly missing_nodes?: readonly MissingNode[];
}

/** One page of a listing: its rows, or why there are none, and the way to the next page. */
export function Listing<Row, Data extends Page>({
  call,
  rowsOf,
  shown = (rows, { total }) => `${whole(rows.length)} of ${whole(total ?? rows.length)}`,
  empty,
  ...table
}: Omit<TableProps<Row>, 'rows'> & {
  readonly call: Call<Data>;
  readonly rowsOf: (data: Data) => readonly Row[];
  /** The words about how many rows there are. */
  readonly shown?: (rows: readonly Row[], data: Data) => string;
  /** What the list shows instead of no row. */
  readonly empty: ComponentChildren;
}): JSX.Element {
  return (
    <Answer call={call}>
      {data => {
        const rows = rowsOf(data);
        const next = data.next_cursor;
        return (
          <div class="stack s4">
            <MissingNodes nodes={data.missing_nodes ?? []} />
            <section class="panel" aria-label={table.caption}>
              {rows.length === 0 && next === '' ? (
                empty
              ) : (
                <>
                  <Table {...table} rows={rows} />
                  <Pager shown={shown(rows, data)} next={next} />
                </>
              )}
            </section>
          </div>
        );
      }}
    </Answer>
  );
}

/** A bar for nodes that did not answer. */
export function MissingNodes({ nodes }: { readonly nodes: readonly MissingNode[] }): JSX.Element | null {
  if (nodes.length === 0) return null;
  const names = nodes.map(({ node, reason }) => `${node} (${reason})`).join(', ');
  return (
    <div class="banner warn" role="status">
      <Icon name="warning" />
      <span>{`${nodes.length === 1 ? 'A node' : `${nodes.length} nodes`} did not answer: ${names}. The list lacks what is on ${nodes.length === 1 ? 'it' : 'them'}.`}</span>
    </div>
  );
}

/** The size of a page, and the way to the first and the next one. The address holds all of it. */
export function Pager({ shown, next }: { readonly shown: string; readonly next: string }): JSX.Element {
  const { cursor, limit } = pageAsked();
  return (
    <footer>
      <span class="grow">{shown}</span>
      <select
        class="select sm"
        aria-label="Rows per page"
        value={String(limit)}
        onChange={event => setQuery({ size: event.currentTarget.value, cursor: '' })}
      >
        {SIZES.map(size => (
          <option key={size} value={String(size)}>{`${size} per page`}</option>
        ))}
      </select>
      {cursor !== '' && (
        <button class="btn sm" type="button" onClick={() => go(withQuery({ cursor: '' }))}>
          First page
        </button>
      )}
      {next !== '' && (
        <button class="btn sm" type="button" onClick={() => go(withQuery({ cursor: next }))}>
          Next page
        </button>
      )}
    </footer>
  );
}
