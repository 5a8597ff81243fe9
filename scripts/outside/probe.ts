import { request } from 'node:http';

const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** What a request is sent with, besides method and path. */
interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The ways in which each path is asked, besides the plain one. */
const WAYS: Readonly<Record<string, Sent>> = {
  'foreign origin': { headers: { origin: 'https://other.example' } },
  'foreign host': { headers: { host: 'other.example' } },
  'empty object': { headers: { 'content-type': 'application/json' }, body: '{}' },
};

/** Status of the answer, with the methods of `Allow`; its body is not waited for. */
function statusOf(url: URL, method: string, { headers = {}, body = '' }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request(url, { method, agent: false, headers: { ...headers, ...length } }, response => {
      const { allow } = response.headers;
      response.destroy();
      resolve(allow === undefined ? String(response.statusCode) : `${response.statusCode}, allow ${allow}`);
    });
    sent.on('error', reject).end(body);
  });
}

/**
 * The statuses of a path, with the methods that get them. Of the ways to ask, those that get what `plain` gets are left
 * out.
 */
export async function probe(url: URL, extra: Readonly<Record<string, Sent>> = {}): Promise<object> {
  const methods = new Map<string, string[]>();
  for (const method of METHODS) {
    const plain = await statusOf(url, method, {});
    const statuses = [plain];
    for (const [way, sent] of Object.entries({ ...WAYS, ...extra })) {
      if (sent.body !== undefined && method !== 'POST') continue;
      const status = await statusOf(url, method, sent);
      if (status !== plain) statuses.push(`${way}: ${status}`);
    }
    const outcome = statuses.join('; ');
    methods.set(outcome, [...(methods.get(outcome) ?? []), method]);
  }
  return Object.fromEntries([...methods].map(([outcome, names]) => [names.join(' '), outcome]));
}
