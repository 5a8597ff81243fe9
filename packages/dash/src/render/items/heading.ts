import { textMember } from '../context.ts';
import { frame, heading } from '../frame.ts';
import { type LeafRenderer, memberOf } from './leaf.ts';

/** `h1` to `h6` by its level; below the title of a block one level deeper (page and review 1.2). */
export const headingItem: LeafRenderer = (node, context) => {
  const level = memberOf(node, 'level');
  const depth = (typeof level === 'number' ? level : 2) + (context.isTitled ? 1 : 0);
  const text = textMember(node.config, 'text') ?? '';
  return frame(node, context, { body: heading(depth, text, `hitem h-${Math.min(depth, 6)}`) });
};
