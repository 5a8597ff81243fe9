import { type MsgServer, type ServeOptions, startMsg } from '@msg/testkit';
import type { MsgClientOptions } from '#src/index.ts';

/** A running service with its management RPC. */
export interface Service extends MsgServer {
  call(method: string, request: object): Promise<Record<string, unknown>>;
  /** A private channel and the options of a client that may read it. */
  privateChannel(
    name: string,
  ): Promise<Required<Pick<MsgClientOptions, 'accessToken' | 'refreshToken' | 'accessExp' | 'refreshExp'>>>;
  /** Refresh tokens redeemed so far. */
  rotations(): Promise<number>;
}

export async function startService(options: ServeOptions = {}): Promise<Service> {
  const server = await startMsg(options);
  const call: Service['call'] = async (method, request) => {
    const response = await fetch(`${server.url}/twirp/msg.MsgService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
      body: JSON.stringify(request),
    });
    return (await response.json()) as Record<string, unknown>; // the server answers JSON objects only
  };
  return {
    ...server,
    call,
    async privateChannel(name) {
      const created = await call('CreatePrivate', { name, subject: 'u-1', ttl_seconds: 3600 });
      return {
        accessToken: String(created['access_token']),
        refreshToken: String(created['refresh_token']),
        accessExp: Number(created['access_expires_unix']),
        refreshExp: Number(created['refresh_expires_unix']),
      };
    },
    async rotations() {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^msg_refresh_rotations_total\{result="rotated"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    },
  };
}
