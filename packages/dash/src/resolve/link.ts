import { linkFault, linkItem } from '#src/catalog/reference.ts';
import type { Catalog } from '#src/catalog/types.ts';
import { violationsOf } from '#src/catalog/violations.ts';
import { isJsonObject, ownMember } from '#src/document/json.ts';
import type { DashNode } from '#src/document/types.ts';
import { DashError } from '#src/errors.ts';
import { documentInvalid, type LinkedNode, withDescendants } from './context.ts';
import { Faults } from './faults.ts';

const MAX_NODES = 5_000;
const MAX_DEPTH = 64;

/**
 * Stage 2: links every node's type; a wrapper's content is known only now and is checked in turn (dashboard details
 * 10.1).
 *
 * @throws DashError SCHEMA_REF_UNRESOLVED, SCHEMA_VERSION_MISMATCH, RESOLVE_DOCUMENT_INVALID, RESOLVE_ID_DUPLICATE.
 */
export function linkTree(root: DashNode, catalog: Catalog, source: string): LinkedNode {
  const linker = new Linker(catalog, source);
  const linked = linker.link(root, 'root', 'root', 1);
  linker.faults.settle();
  requireUniqueIds(linked as LinkedNode);
  return linked as LinkedNode;
}

class Linker {
  readonly faults = new Faults();
  private readonly catalog: Catalog;
  private readonly source: string;
  private count = 0;

  constructor(catalog: Catalog, source: string) {
    this.catalog = catalog;
    this.source = source;
  }

  link(node: DashNode, path: string, slot: LinkedNode['slot'], depth: number): LinkedNode | undefined {
    this.count += 1;
    if (this.count > MAX_NODES) throw this.limit(`The document has more than ${MAX_NODES} nodes.`);
    if (depth > MAX_DEPTH) throw this.limit(`The tree is deeper than ${MAX_DEPTH} levels.`);
    const found = linkItem(this.catalog, node);
    if (!('type' in found)) {
      this.faults.attempt(() => {
        throw linkFault(this.catalog, path, node.id, found);
      });
    }
    const contentField = 'type' in found ? found.type.behavior.contentField : undefined;
    const children = [...this.children(node, path, depth), ...this.content(node, path, depth, contentField)];
    if (!('type' in found)) return undefined;
    return { node, path, type: found.type, ref: found.ref, slot, children };
  }

  private children(node: DashNode, path: string, depth: number): LinkedNode[] {
    return (node.children ?? [])
      .map((child, index) => this.link(child, `${path}.children[${index}]`, 'child', depth + 1))
      .filter(child => child !== undefined);
  }

  private content(node: DashNode, path: string, depth: number, field: string | undefined): LinkedNode[] {
    const content =
      field === undefined || node.config === undefined ? undefined : ownMember(node.config, field);
    if (!isJsonObject(content)) return [];
    const below = `${path}.${field}`;
    const checked = this.faults.attempt(() => this.requireNode(content, below, node.id));
    const linked = checked === undefined ? undefined : this.link(checked, below, 'content', depth + 1);
    return linked === undefined ? [] : [linked];
  }

  private requireNode(content: object, path: string, nodeId: string): DashNode {
    const { validateNode } = this.catalog;
    if (validateNode(content)) return content as DashNode;
    const violations = violationsOf(validateNode);
    const message = `What "${nodeId}" wraps is not a node.`;
    throw documentInvalid(this.source, message, { path, nodeId, violations });
  }

  private limit(message: string): DashError {
    return documentInvalid(this.source, message, { reason: 'limit' });
  }
}

function requireUniqueIds(root: LinkedNode): void {
  const faults = new Faults();
  for (const [id, nodes] of Map.groupBy(withDescendants(root), ({ node }) => node.id)) {
    if (nodes.length === 1) continue;
    faults.attempt(() => {
      const paths = nodes.slice(0, 50).map(({ path }) => path);
      throw new DashError('RESOLVE_ID_DUPLICATE', `The node id "${id}" stands ${nodes.length} times.`, {
        id,
        paths,
      });
    });
  }
  faults.settle();
}
