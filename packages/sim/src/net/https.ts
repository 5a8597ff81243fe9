import http from 'node:http';
import https from 'node:https';
import { refuse } from '../kernel/refuse.ts';
import { connectTls } from './tls.ts';

/** `https.Agent`: that of `node:http`, over the TLS of the run. */
class SimHttpsAgent extends http.Agent {
  readonly defaultPort = 443;
  readonly protocol = 'https:';

  // The types say less than what HTTP uses of a socket.
  override createConnection = connectTls as unknown as http.Agent['createConnection'];
}

function request(url: string | URL, options: http.RequestOptions): http.ClientRequest {
  if (!(options.agent instanceof SimHttpsAgent)) refuse('https.request without an agent');
  return http.request(url, options);
}

/** `node:https` over the network of the run. */
export function simHttps(): object {
  const others = ['createServer', 'get'] as const;
  const refusals = others.map(name => [name, () => refuse(`https.${name}`)]);
  return { ...https, ...Object.fromEntries(refusals), Agent: SimHttpsAgent, request };
}
