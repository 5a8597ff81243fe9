import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Fetch } from '@msg/core';

/** The standard `fetch` over the simulated network, as far as the client of the RPC uses it. */
export function rpcFetch(): Fetch<AbortSignal> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  // The agent itself would connect by the real network, which it has from inside of Node.js.
  agent.createConnection = ({ host, port }) => connect({ host: String(host), port: Number(port) }); // of the address
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const post = request(url, { method, headers, agent });
      post.on('error', reject);
      const abort = (): void => void post.destroy(new Error('the call was aborted'));
      signal?.addEventListener('abort', abort, { once: true });
      post.on('response', response => {
        const chunks: Buffer[] = [];
        const text = new Promise<string>((resolveText, rejectText) => {
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => resolveText(Buffer.concat(chunks).toString()));
          response.on('error', rejectText);
        });
        text.catch(() => {}); // the caller that reads it gets the error
        resolve({
          status: response.statusCode ?? 0,
          headers: { get: name => String(response.headers[name] ?? '') || null },
          text: () => text,
        });
      });
      post.end(body);
    });
}
