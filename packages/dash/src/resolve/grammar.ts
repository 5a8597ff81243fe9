import { type DashCode, DashError } from '#src/errors.ts';
import { type LinkedNode, withDescendants } from './context.ts';
import { Faults } from './faults.ts';

/** Stage 6: rules G1 to G6 over the whole tree, in document order (dashboard details 2.4). @throws DashError GRAMMAR_*, LAYOUT_FORM_CHILD_INVALID. */
export function checkGrammar(root: LinkedNode): void {
  const faults = new Faults();
  faults.attempt(() => {
    const { role, childPolicy } = root.type.behavior;
    if (role === 'region' && childPolicy === 'regions-or-wrappers') return;
    throw broken('GRAMMAR_ROOT_INVALID', root, 'The root must be a region that holds regions and wrappers.');
  });
  for (const parent of withDescendants(root)) {
    for (const child of parent.children) faults.attempt(() => requireLegal(parent, child));
  }
  faults.settle();
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
    throw broken(code, child, `${name} is no widget; "${parent.node.id}" holds only widgets.`);
  }
  if (parent.slot === 'root' && role !== 'region') {
    throw broken(
      'GRAMMAR_ROOT_CHILD_INVALID',
      child,
      `${name} stands under the root; put it into a container there.`,
    );
  }
  if (role === 'region' || role === 'wrapper') return;
  throw broken(
    'GRAMMAR_REGION_CHILD_INVALID',
    child,
    `${name} stands bare in "${parent.node.id}"; wrap it in a block.`,
  );
}

function requireContent(content: LinkedNode, name: string): void {
  const { role, childPolicy } = content.type.behavior;
  if (role === 'wrapper')
    throw broken('GRAMMAR_WRAPPER_NESTED', content, `${name} is a wrapper within a wrapper.`);
  if (role !== 'region' || childPolicy === 'widgets') return;
  throw broken(
    'GRAMMAR_WRAPPER_CONTENT_INVALID',
    content,
    `${name} cannot be wrapped; only leaves, widgets and regions of widgets can.`,
  );
}

function broken(code: DashCode, { path, node, type }: LinkedNode, message: string): DashError {
  return new DashError(code, message, { path, nodeId: node.id, type: type.name });
}
