import type { SubscribeRequest } from '@msg/protocol';

/** What is used of a subscribe request after authorisation. */
export type SubscribeRequestOptions = Pick<
  SubscribeRequest,
  'recover' | 'offset' | 'epoch' | 'delta' | 'flag' | 'tf'
>;
