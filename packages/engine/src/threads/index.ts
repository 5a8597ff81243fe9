export type { DroppedEvents } from '../broker/threads/broker-thread.ts';
export { type ThreadBackendOptions, type ThreadBackends, threadBackends } from './backends.ts';
export {
  type AttachedThread,
  type ThreadHost,
  type ThreadHostOptions,
  type ThreadLink,
  threadHost,
} from './host.ts';
export { type Bell, SharedBell } from './link/bell.ts';
export { BodyReader, BodyWriter } from './link/body.ts';
export type { CallHandler } from './link/call-channel.ts';
export { createLink, type LinkSizes, type NewLink } from './link/create-link.ts';
export { type ErrorRow, LinkRequestFailed } from './link/error-rows.ts';
export {
  FIRST_KIND,
  LinkEnd,
  type LinkEndOptions,
  type LinkMemory,
  type RecordHandler,
} from './link/link-end.ts';
export { LinkBusy, LinkTimeout } from './link/pending-requests.ts';
export type { LinkRecord, NumberedRecord } from './link/record.ts';
export { LinkBroken } from './link/ring-reader.ts';
export { VersionTable } from './link/version-table.ts';
