// For the packages of this repository alone: nothing here is promised to programs.
export { OwnTotal } from './bounds.ts';
export { processOf } from './control/thread-ids.ts';
export { newPublication } from './stream/publication.ts';
export { PAYLOAD_ENCODING_TAG } from './stream/tagged.ts';
export { NO_ROOM_RETRY_MS, READ_ELSEWHERE, TOO_MANY_CHUNKS } from './transports/http/body-contract.ts';
export { delayContinue } from './transports/http/continue.ts';
export { endUnread, isUnread } from './transports/http/unread.ts';
