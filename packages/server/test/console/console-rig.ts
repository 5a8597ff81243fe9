import { request as httpRequest } from 'node:http';
import { Msg, type MsgOptions } from '@msg/server';

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** The origin that a server believes that it has, and how to call it in any words. */
export class ConsoleRig {
  readonly msg: Msg;
  readonly port: number;
  readonly token: string;

  private constructor(msg: Msg, port: number) {
    this.msg = msg;
    this.port = port;
    this.token = msg.tokens.issueManagement('ada').token;
  }

  static async start(options: MsgOptions = {}, wanted = 0): Promise<ConsoleRig> {
    const msg = await Msg.start({
      console: { enabled: true },
      allowedHosts: ['*'],
      revocationStore: 'auto',
      ...options,
    });
    const { port } = await msg.listen({ host: '127.0.0.1', port: wanted });
    return new ConsoleRig(msg, port);
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** The headers of the console's own page. */
  get own(): Record<string, string> {
    return {
      'content-type': 'application/json',
      'x-msg-console': '1',
      'sec-fetch-site': 'same-origin',
      origin: this.origin,
    };
  }

  send(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  post(path: string, body: object | undefined, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return this.send(
      'POST',
      path,
      { ...this.own, ...headers },
      body === undefined ? '' : JSON.stringify(body),
    );
  }

  /** Signs in and returns the cookie as a browser sends it. */
  async signIn(token = this.token, headers: Record<string, string> = {}): Promise<string> {
    const answer = await this.post('/console/session', { token }, headers);
    if (answer.status !== 200) throw new Error(answer.text);
    return cookieOf(answer);
  }

  rpc(method: string, body: object, headers: Record<string, string> = {}): Promise<RawAnswer> {
    return this.post(`/console/twirp/msg.MsgService/${method}`, body, headers);
  }
}

/** Name and value of the cookie that an answer sets. */
export function cookieOf({ headers }: RawAnswer): string {
  return [headers['set-cookie'] ?? []].flat()[0]?.split(';')[0] ?? '';
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** `meta` of an error. */
export function metaOf({ json }: RawAnswer): unknown {
  return json['meta'];
}
