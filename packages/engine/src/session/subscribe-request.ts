import type { FilterNode, SubscribeRequest } from '@msg/protocol';
import { compileFilter, type TagsFilter } from '../delivery/tags-filter.ts';
import { errorReply } from '../errors.ts';
import type { SubscribeDecision } from '../policy.ts';

/** What is used of a subscribe request after authorisation. */
export type SubscribeRequestOptions = Pick<
  SubscribeRequest,
  'recover' | 'offset' | 'epoch' | 'delta' | 'flag' | 'tf'
>;

/**
 * The tags filter of a client.
 * @throws ReplyError 107 where the decision allows none
 */
export function acceptFilter(decision: SubscribeDecision, node: FilterNode): TagsFilter {
  if (decision.tagsFilter !== true) throw errorReply.badRequest('tags filter not allowed');
  return compileFilter(node);
}
