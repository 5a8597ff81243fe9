import { describe, expect, it } from 'vitest';
import { DashError } from '#src/errors.ts';
import { type Binding, requestHost, requireOwnOrigin } from '#src/http/origin.ts';
import { RequestError } from '#src/http/request-error.ts';

const loopback: Binding = { address: '127.0.0.1', host: '127.0.0.1', allowHosts: [] };
const open: Binding = { address: '0.0.0.0', host: 'Dash.internal', allowHosts: ['proxy.example.org'] };

function verdict(binding: Binding, host: string | undefined, origin?: string, method = 'POST'): string {
  try {
    requireOwnOrigin(binding, method, host, origin);
    return 'passes';
  } catch (error) {
    if (!(error instanceof DashError)) throw error;
    expect(error.code).toBe('SERVE_ORIGIN_FORBIDDEN');
    return Object.keys(error.details).join();
  }
}

describe('bound to loopback', () => {
  it.each([
    'localhost',
    'localhost:8080',
    'LOCALHOST:1',
    'dash.localhost:80',
    '127.0.0.1:8080',
    '127.9.8.7',
    '[::1]',
    '[::1]:8080',
  ])('%s is a name of the server', host => expect(verdict(loopback, host)).toBe('passes'));

  it.each([
    undefined,
    '',
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'evillocalhost',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    '127.1',
    '10.0.0.1',
    '192.168.0.4:8080',
    '[::2]',
    '::1',
    'localhost:8080:9',
    'localhost/x',
    'localhost evil',
    '0.0.0.0',
  ])('%s is not a name of the server', host => expect(verdict(loopback, host)).toBe('host'));

  it('checks the host of reads too', () => {
    expect(verdict(loopback, 'evil.example', undefined, 'GET')).toBe('host');
  });

  it('takes names that were allowed, with any port', () => {
    const proxied = { ...loopback, allowHosts: ['Dash.example.org'] };
    expect(verdict(proxied, 'dash.example.org')).toBe('passes');
    expect(verdict(proxied, 'dash.example.org:8443', 'https://dash.example.org:8443')).toBe('passes');
    expect(verdict(proxied, 'x.dash.example.org')).toBe('host');
  });
});

describe('bound elsewhere', () => {
  it.each(['10.0.0.1', '192.168.0.4:8080', '[2001:db8::1]:80', 'dash.internal', 'proxy.example.org:444'])(
    '%s is a name of the server',
    host => expect(verdict(open, host)).toBe('passes'),
  );
  it.each(['localhost', 'evil.example', 'a.dash.internal', '1.2.3', '[1.2.3.4]:', '[zz]'])(
    '%s is not a name of the server',
    host => expect(verdict(open, host)).toBe('host'),
  );
});

describe('the origin of a post', () => {
  const host = 'localhost:8080';
  it.each(['http://localhost:8080', 'https://localhost:8080', 'HTTP://LocalHost:8080'])(
    '%s may write',
    origin => expect(verdict(loopback, host, origin)).toBe('passes'),
  );
  it.each([
    'null',
    '',
    'http://localhost',
    'http://localhost:8081',
    'http://127.0.0.1:8080',
    'http://evil.example',
    'http://evil.example/localhost:8080',
    'localhost:8080',
    '://localhost:8080',
    'http://localhost:8080/',
  ])('"%s" may not', origin => expect(verdict(loopback, host, origin)).toBe('origin'));

  it('is not asked of reads', () => {
    expect(verdict(loopback, host, 'http://evil.example', 'GET')).toBe('passes');
    expect(verdict(loopback, host, 'http://evil.example', 'HEAD')).toBe('passes');
  });
});

describe('the host that a request means', () => {
  it.each([
    ['/api', ['localhost'], 'localhost'],
    ['*', ['localhost'], 'localhost'],
    ['/http://evil.example/', ['localhost'], 'localhost'],
    ['http://evil.example/api', ['localhost'], 'evil.example'],
    ['HTTP://evil.example', ['localhost'], 'evil.example'],
    ['https://evil.example:8080?x', ['localhost'], 'evil.example:8080'],
    ['http://evil.example#x', ['localhost'], 'evil.example'],
    ['http://localhost@evil.example/', ['localhost'], 'localhost@evil.example'],
    ['http://localhost:8080/api', ['evil.example'], 'localhost:8080'],
    ['http:///api', ['localhost'], ''],
    ['/api', [], undefined],
  ])('of %s with Host %j is %s', (target, hosts, host) => expect(requestHost(target, hosts)).toBe(host));

  it('is undefined with two Host headers', () => {
    expect(() => requestHost('/', ['localhost', 'localhost'])).toThrow(RequestError);
    expect(() => requestHost('http://localhost/', ['localhost', 'evil.example'])).toThrow(RequestError);
  });
});
