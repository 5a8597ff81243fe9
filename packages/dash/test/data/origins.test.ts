import { describe, expect, it } from 'vitest';
import { isForbidden } from '#src/data/dial/addresses.ts';
import { AllowedOrigins } from '#src/data/dial/allowed-origins.ts';
import { originOf } from '#src/data/dial/origin.ts';

describe('the origin of an address', () => {
  it.each([
    ['http://127.0.0.1:9090/api?x=1', 'http://127.0.0.1:9090'],
    ['HTTP://Prom.Example:80', 'http://prom.example'],
    ['http://prom.example:080', 'http://prom.example'],
    ['https://prom.example:443/a', 'https://prom.example'],
    ['https://prom.example:80/a', 'https://prom.example:80'],
    ['http://0x7f.1/', 'http://127.0.0.1'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://[0:0::1]:80/', 'http://[::1]'],
    ['postgres://db/app', 'postgres://db:5432'.replace(':5432', '')],
    ['postgresql://db:5432/app', 'postgres://db'],
    ['postgres://db:80/app', 'postgres://db:80'],
    ['wss://live.example/connection/websocket', 'wss://live.example'],
    ['ws://live.example:8000', 'ws://live.example:8000'],
    ['http://bücher.example', 'http://xn--bcher-kva.example'],
  ])('%s is %s', (address, origin) => {
    expect(originOf(address)?.text).toBe(origin);
  });

  it.each([
    '',
    'prom:9090',
    'ftp://a',
    'file:///etc/passwd',
    'http:',
    'http:///a',
    'http://',
    ' http://a',
    'http://a b',
    'http://[fe80::1%25eth0]',
  ])('%j has none', address => expect(originOf(address)).toBeUndefined());

  it('tells host, port, path and whether a user is named', () => {
    expect(originOf('http://[::1]:9090/a/b?c=d#e')).toMatchObject({
      host: '::1',
      port: 9090,
      rest: '/a/b?c=d#e',
      hasUser: false,
    });
    for (const address of ['http://u@h', 'http://u:p@h', 'http://@h', 'http://:@h/x', 'postgres://u@h/db'])
      expect(originOf(address)?.hasUser).toBe(true);
    expect(originOf('http://evil.example\\@prom.example/')?.text).toBe('http://evil.example');
  });
});

describe('an origin is allowed', () => {
  const allowed = new AllowedOrigins([
    'http://127.0.0.1:9090=PROM_TOKEN,OTHER',
    ' HTTPS://Metrics.Example:443/ ',
    'https://metrics.example=LATER',
  ]);
  const code = (address: string, secrets: string[] = []): string | undefined => {
    try {
      allowed.require(address, address, secrets);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return undefined;
  };

  it('when scheme, host and port are those of an entry', () => {
    expect(code('http://127.0.0.1:9090/api/v1')).toBeUndefined();
    expect(code('https://metrics.example/x')).toBeUndefined();
    expect(allowed.origins).toEqual(['http://127.0.0.1:9090', 'https://metrics.example']);
  });

  it.each([
    'http://127.0.0.1:9091',
    'https://127.0.0.1:9090',
    'http://127.0.0.2:9090',
    'http://localhost:9090',
    'http://[::1]:9090',
    'http://[::ffff:127.0.0.1]:9090',
    'http://metrics.example',
    'https://metrics.example.',
    'https://metrics.example:8443',
    'https://a.metrics.example',
    'http://127.0.0.1:9090.evil.example/',
  ])('and %s is not', address => {
    expect(['QUERY_HOST_FORBIDDEN', 'QUERY_INVALID']).toContain(code(address));
  });

  it('for the secrets that its entries name, and without a user in the address', () => {
    expect(code('http://127.0.0.1:9090', ['PROM_TOKEN', 'OTHER'])).toBeUndefined();
    expect(code('https://metrics.example', ['LATER'])).toBeUndefined();
    expect(code('https://metrics.example', ['PROM_TOKEN'])).toBe('QUERY_SECRET_FORBIDDEN');
    expect(code('http://u:p@127.0.0.1:9090')).toBe('QUERY_INVALID');
    expect(code('nonsense')).toBe('QUERY_INVALID');
  });

  it('and not shown when its address is a secret', () => {
    expect(() => allowed.require('http://hidden.example', undefined, ['PLACE'])).toThrow(
      /^(?!.*hidden).*--allow-query <origin>/,
    );
  });

  it.each([
    'prom:9090',
    'http://*.example',
    'http://a/path',
    'http://a?x',
    'http://u:hunter2@a',
    'http://a=b-c',
    'http://a=,',
    '',
  ])('by no entry such as %j', entry => {
    const make = (): AllowedOrigins => new AllowedOrigins([entry]);
    expect(make).toThrow(expect.objectContaining({ code: 'CLI_INVALID' }));
    expect(make).not.toThrow(/hunter2/);
  });
});

describe('an address that is never dialled by name', () => {
  it.each([
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '255.255.255.255',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:0.0.0.0',
    '::ffff:a9fe:a9fe',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::1',
  ])('is %s', address => expect(isForbidden(address)).toBe(true));
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '192.168.1.1',
    '::1',
    'fd00::1',
    '8.8.8.8',
    '::ffff:127.0.0.1',
    '2002:7f00:1::1',
    'fec0::1',
  ])('is not %s', address => expect(isForbidden(address)).toBe(false));
});
