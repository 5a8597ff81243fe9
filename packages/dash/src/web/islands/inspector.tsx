import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { requestQuery } from './settings.ts';
import { itemOf } from './swap.ts';

/** A node of the resolved tree, as far as the inspector shows it. */
interface Node {
  readonly id: string;
  readonly type: { readonly name: string; readonly version: string; readonly id: string };
  readonly role: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly binding?: { readonly connectionId: string; readonly query?: object };
  readonly varEnv?: Readonly<Record<string, Variable>>;
  readonly children?: readonly Node[];
}

interface Variable {
  readonly name: string;
  readonly value: unknown;
  readonly expr?: string;
  readonly declaredAt: string;
}

interface Tree {
  readonly root: Node;
  readonly surfaces: Readonly<Record<string, readonly { readonly field: string; readonly type: string }[]>>;
}

interface ItemRows {
  readonly columns: readonly string[];
  readonly rows: readonly object[];
  readonly age: number;
  readonly took?: number;
  readonly asked?: object;
  readonly warnings?: readonly string[];
  readonly truncated?: true;
  readonly error?: { readonly code: string; readonly message: string };
}

interface Facts {
  readonly tree: Tree;
  readonly items: Readonly<Record<string, ItemRows>>;
}

/** Opens the inspector beside the page, or closes it. */
export function toggleInspector(api: string): void {
  const open = document.getElementById('inspector');
  if (open !== null) {
    render(null, open);
    open.remove();
    document.querySelector<HTMLElement>('[data-act=inspect]')?.focus();
    return;
  }
  const panel = document.createElement('aside');
  panel.id = 'inspector';
  panel.setAttribute('aria-label', 'Inspector');
  document.body.append(panel);
  render(<Inspector api={api} />, panel);
}

function Inspector({ api }: { api: string }) {
  const [facts, setFacts] = useState<Facts>();
  const [chosen, choose] = useState<string>();
  useEffect(() => {
    void factsOf(api).then(setFacts);
  }, [api]);
  const nodes = facts === undefined ? [] : [...flat(facts.tree.root, 0, {}, 'root')];
  const entry = nodes.find(({ node }) => node.id === chosen) ?? nodes[0];
  return (
    <>
      <header class="line">
        <h2>Inspector</h2>
        <span class="grow" />
        <button type="button" class="btn quiet sm" onClick={() => toggleInspector(api)}>
          Close
        </button>
      </header>
      <ul class="nodes">
        {nodes.map(({ node, depth }) => (
          <li key={node.id} class={`d${Math.min(depth, 8)}`}>
            <button type="button" aria-pressed={node === entry?.node} onClick={() => choose(node.id)}>
              <code>{node.id}</code> <span class="mute">{node.type.name}</span>
              {itemOf(node.id)?.hidden === true ? <span class="badge">hidden</span> : null}
            </button>
          </li>
        ))}
      </ul>
      {entry === undefined || facts === undefined ? null : <NodeFacts entry={entry} facts={facts} />}
    </>
  );
}

interface Entry {
  readonly node: Node;
  readonly depth: number;
  readonly path: string;
  /** Variables visible at the node. */
  readonly variables: Readonly<Record<string, Variable>>;
}

function* flat(node: Node, depth: number, around: Entry['variables'], path: string): Generator<Entry> {
  const variables = node.varEnv ?? around;
  yield { node, depth, path, variables };
  for (const [at, child] of (node.children ?? []).entries()) {
    const step = node.role === 'wrapper' ? 'content' : `children[${at}]`;
    yield* flat(child, depth + 1, variables, `${path}.${step}`);
  }
}

function NodeFacts({
  entry: { node, path, variables },
  facts: { tree, items },
}: {
  entry: Entry;
  facts: Facts;
}) {
  const rows = items[node.id];
  const surface = tree.surfaces[node.type.id] ?? [];
  return (
    <section aria-label={node.id}>
      <dl class="facts rows">
        <dt>Type</dt>
        <dd>{`${node.type.name} ${node.type.version}, ${node.role}`}</dd>
        <dt>Path</dt>
        <dd class="mono">{path}</dd>
        <dt>Pointer</dt>
        <dd class="mono">
          {`/${node.id} `}
          <button type="button" class="textbtn" data-act="copy" data-text={`/${node.id}`}>
            Copy
          </button>
        </dd>
        {node.binding === undefined ? null : (
          <>
            <dt>Connection</dt>
            <dd class="mono">{node.binding.connectionId}</dd>
            <dt>Query</dt>
            <dd class="mono">{JSON.stringify(node.binding.query ?? {})}</dd>
          </>
        )}
        {rows === undefined ? null : (
          <>
            <dt>Rows</dt>
            <dd>{rows.error === undefined ? rowsText(rows) : `${rows.error.code}: ${rows.error.message}`}</dd>
            <dt>Columns</dt>
            <dd class="mono">{rows.columns.join(', ')}</dd>
            {rows.asked === undefined ? null : (
              <>
                <dt>Asked</dt>
                <dd class="mono">{JSON.stringify(rows.asked)}</dd>
              </>
            )}
            {rows.warnings === undefined ? null : (
              <>
                <dt>Warnings</dt>
                <dd>{rows.warnings.join(' ')}</dd>
              </>
            )}
          </>
        )}
        <dt>Editable</dt>
        <dd class="mono">{surface.map(({ field, type }) => `${field}: ${type}`).join(', ') || 'nothing'}</dd>
      </dl>
      <h3>Config</h3>
      <pre class="payload">{JSON.stringify(node.config ?? {}, null, 2)}</pre>
      <h3>Variables</h3>
      <dl class="facts rows">
        {Object.values(variables).map(({ name, value, expr, declaredAt }) => (
          <>
            <dt class="mono">{name}</dt>
            <dd>
              <code>{JSON.stringify(value)}</code>{' '}
              <span class="mute">{`${expr === undefined ? '' : `= ${expr}, `}declared at ${declaredAt}`}</span>
            </dd>
          </>
        ))}
      </dl>
    </section>
  );
}

const rowsText = ({ rows, truncated, age, took }: ItemRows): string =>
  `${rows.length} received${truncated === true ? ', more at the source' : ''}${took === undefined ? '' : ` in ${took} ms`}${age > 0 ? `, ${age} s old` : ''}`;

async function factsOf(api: string): Promise<Facts> {
  const parameters = requestQuery();
  const ask = (path: string, init: RequestInit): Promise<unknown> =>
    fetch(`${api}/${path}?${parameters}`, init).then(answer => answer.json());
  const [tree, data] = await Promise.all([
    ask('tree', {}),
    ask('data', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
  ]);
  return { tree: tree as Tree, items: (data as { items: Facts['items'] }).items };
}
