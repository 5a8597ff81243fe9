import { afterEach, beforeEach } from 'vitest';
import { type Embedded, embed, stopEmbedded } from './embedded.ts';
import { type RpcAnswer, rpcOf } from './rpc.ts';
import { closeClients } from './stock-client.ts';

/** A service for each case of a file. */
interface EachService extends Pick<Embedded, 'msg' | 'url' | 'websocketUrl'> {
  /** Calls by an administrator. */
  rpc(method: string, request: object): Promise<RpcAnswer>;
}

/** Starts a service with a public channel before each case, and stops it with its clients after it. */
export function embedEach(channel: string): EachService {
  let service: Embedded;
  let call: ReturnType<typeof rpcOf>;
  beforeEach(async () => {
    service = await embed({ revocationStore: 'auto' });
    call = rpcOf(service.url, service.msg.tokens.issueManagement().token);
    await service.msg.channels.openPublic(channel);
  });
  afterEach(async () => {
    closeClients();
    await stopEmbedded();
  });
  return {
    get msg() {
      return service.msg;
    },
    get url() {
      return service.url;
    },
    get websocketUrl() {
      return service.websocketUrl;
    },
    rpc: (method, request) => call(method, request),
  };
}
