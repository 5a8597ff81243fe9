import { messages, str, strings } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';
import { NO_ITEMS } from '../schema/zero.ts';

/** One node of a filter on publication tags (client protocol 13). Structure only; the rules are the server's. */
export interface FilterNode {
  /** `and`, `or`, `not`, or empty for a comparison. */
  readonly op: string;
  readonly key: string;
  readonly cmp: string;
  readonly val: string;
  readonly vals: readonly string[];
  readonly nodes: readonly FilterNode[];
}

export const filterNodeType: MessageType<FilterNode> = new MessageType<FilterNode>(
  'FilterNode',
  () => ({ op: '', key: '', cmp: '', val: '', vals: NO_ITEMS, nodes: NO_ITEMS }),
  self => ({ op: str(1), key: str(2), cmp: str(3), val: str(4), vals: strings(5), nodes: messages(6, self) }),
);
