import type { IncomingMessage, ServerResponse } from 'node:http';

/** A secret with characters that every encoding changes, around a part that most keep. */
const CORE = 'k4n4rySecret9';
export const CANARY = `/+ "${CORE}"ü`;

const percents = (text: string): string =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** What a system may make of a secret that it was sent. */
export const FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: secret => secret,
  inside: secret => `Bearer ${secret}, and ${secret}`,
  base64: secret => Buffer.from(secret).toString('base64'),
  basic: secret => Buffer.from(`user:${secret}`).toString('base64'),
  base64url: secret => Buffer.from(`x${secret}!`).toString('base64url'),
  component: secret => encodeURIComponent(secret),
  form: secret => new URLSearchParams([['t', secret]]).toString(),
  percents,
};

/** Whatever would show it: its middle as it is, each byte percent-encoded, and base64 at each place of a group. */
const TRACES: readonly string[] = [
  CORE,
  percents(CORE),
  ...[0, 1, 2].map(before => {
    const text = Buffer.concat([Buffer.alloc(before), Buffer.from(CORE)]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + CORE.length) * 8) / 6));
  }),
].map(trace => trace.toLowerCase());

/** The traces of the canary in a text. */
export function tracesIn(text: string): string[] {
  const small = text.toLowerCase();
  return TRACES.filter(trace => small.includes(trace)).map(trace => {
    const at = small.indexOf(trace);
    return text.slice(Math.max(0, at - 60), at + trace.length + 20);
  });
}

type Echo = (response: ServerResponse, text: string) => void;

const asJson =
  (status: number, bodyOf: (text: string) => unknown): Echo =>
  (response, text) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(bodyOf(text)));
  };
const asText =
  (status: number, type: string, headers: (text: string) => Record<string, string> = () => ({})): Echo =>
  (response, text) => {
    response.writeHead(status, { 'content-type': type, ...headers(text) });
    response.end(text);
  };
const series = (labels: object) => ({
  status: 'success',
  data: { resultType: 'vector', result: [{ metric: labels, value: [1_767_322_800, '1'] }] },
});

/** Where an HTTP server puts what it was sent. */
export const HTTP_ECHOES: Readonly<Record<string, Echo>> = {
  cell: asJson(200, text => [{ name: text, n: 1 }]),
  key: asJson(200, text => [{ [text]: 1 }]),
  deep: asJson(200, text => [{ inner: { list: [{ text }] } }]),
  object: asJson(200, text => ({ [text]: text })),
  failing: asText(500, 'text/plain'),
  refusing: asJson(403, text => ({ error: text })),
  page: asText(200, 'text/html'),
  elsewhere: asText(302, 'text/plain', text => ({ location: `/?${encodeURIComponent(text)}` })),
  header: asText(200, 'application/json', text => ({ 'x-echo': encodeURIComponent(text) })),
};

/** Where a Prometheus does. */
export const PROMETHEUS_ECHOES: Readonly<Record<string, Echo>> = {
  label: asJson(200, text => series({ __name__: 'up', job: text })),
  labelName: asJson(200, text => series({ [text]: 'x' })),
  name: asJson(200, text => series({ __name__: text })),
  warning: asJson(200, text => ({ ...series({ a: 'b' }), warnings: [text], infos: [text] })),
  error: asJson(400, text => ({ status: 'error', errorType: text, error: text })),
};

/** Answers `/<kind>/<echo>/<form>…` with the secret that the request carries, in that form and place. */
export function answerEcho(request: IncomingMessage, response: ServerResponse): void {
  const [, kind = '', echo = '', form = ''] = new URL(request.url ?? '/', 'http://any').pathname.split('/');
  const { authorization = '' } = request.headers;
  const secret = authorization.replace(/^Bearer /, '');
  const echoes = kind === 'http' ? HTTP_ECHOES : PROMETHEUS_ECHOES;
  (echoes[echo] ?? (HTTP_ECHOES['cell'] as Echo))(response, (FORMS[form] ?? String)(secret));
}
