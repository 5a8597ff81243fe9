export type { NewRun } from './chat.ts';
export { type ChatEndpoint, ChatRequestError, type Resolvable } from './chat-request.ts';
export { type ChatTransportOptions, createChatTransport, type MsgChatTransport } from './chat-transport.ts';
