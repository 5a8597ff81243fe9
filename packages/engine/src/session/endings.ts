import { disconnect } from '../errors.ts';

/** The client sent what the protocol does not allow. */
export const BAD_REQUEST = disconnect.badRequest();
/** The socket takes nothing. */
export const WRITE_ERROR = disconnect.writeError();
/** The node stops. */
export const SHUTDOWN = disconnect.shutdown();
/** The client is to connect anew, where there is more room. */
export const RECONNECT = disconnect.forceReconnect();
/** The peer closed the connection; never sent. */
export const CONNECTION_CLOSED = disconnect.connectionClosed();
