import { type DashCode, DashError } from '../errors.ts';
import { type LinkedNode, withDescendants } from './context.ts';
import { ErrorCollector } from './error-collector.ts';

/** Stage 6: rules G1 to G6 over the whole tree, in document order (dashboard details 2.4). @throws DashError GRAMMAR_*, LAYOUT_FORM_CHILD_INVALID. */
export function checkGrammar(root: LinkedNode): void {
  const errors = new ErrorCollector();
  errors.check(() => {
    const { role, childPolicy } = root.type.behavior;
    if (role === 'region' && childPolicy === 'regions-or-wrappers') return;
    throw broken(
      'GRAMMAR_ROOT_INVALID',
      root,
      `Root must be a region that holds regions and wrappers; got type "${root.type.name}".`,
    );
  });
  for (const parent of withDescendants(root)) {
    for (const child of parent.children) errors.check(() => requireLegal(parent, child));
  }
  errors.throwIfAny();
}

function requireLegal(parent: LinkedNode, child: LinkedNode): void {
  const { role } = child.type.behavior;
  const name = `"${child.node.id}" (${child.type.name})`;
  if (child.slot === 'content') {
    requireContent(child, name);
    return;
  }
  const { childPolicy, layout } = parent.type.behavior;
  if (childPolicy === 'widgets') {
    if (role === 'widget') return;
    const code = layout === 'flow' ? 'LAYOUT_FORM_CHILD_INVALID' : 'GRAMMAR_VARIABLE_BOX_CHILD_INVALID';
    throw broken(code, child, `Child of node "${parent.node.id}" must be a widget; got ${name}.`);
  }
  if (parent.slot === 'root' && role !== 'region') {
    throw broken(
      'GRAMMAR_ROOT_CHILD_INVALID',
      child,
      `Child of the root must be a region; got ${name}; put it into a container.`,
    );
  }
  if (role === 'region' || role === 'wrapper') return;
  throw broken(
    'GRAMMAR_REGION_CHILD_INVALID',
    child,
    `Child of node "${parent.node.id}" must be a region or a wrapper; got ${name}; wrap it in a block.`,
  );
}

function requireContent(content: LinkedNode, name: string): void {
  const { role, childPolicy } = content.type.behavior;
  if (role === 'wrapper')
    throw broken(
      'GRAMMAR_WRAPPER_NESTED',
      content,
      `Content of a wrapper must be a leaf, a widget or a region of widgets; got the wrapper ${name}.`,
    );
  if (role !== 'region' || childPolicy === 'widgets') return;
  throw broken(
    'GRAMMAR_WRAPPER_CONTENT_INVALID',
    content,
    `Content of a wrapper must be a leaf, a widget or a region of widgets; got ${name}.`,
  );
}

function broken(code: DashCode, { path, node, type }: LinkedNode, message: string): DashError {
  return new DashError(code, message, { path, nodeId: node.id, type: type.name });
}
