import { expect, test } from 'vitest';
import { emulationEndpoint, pickTransports, transportEndpoint } from '#src/transports.ts';

test('the client order is kept, filtered by the server list', () => {
  expect(pickTransports(['http_stream', 'websocket'], ['websocket', 'http_stream'])).toEqual([
    'http_stream',
    'websocket',
  ]);
  expect(pickTransports(['websocket', 'http_stream'], ['http_stream'])).toEqual(['http_stream']);
});

test('an empty server list means websocket if preferred, else the preference', () => {
  expect(pickTransports(['http_stream', 'websocket'], [])).toEqual(['websocket']);
  expect(pickTransports(['http_stream'], [])).toEqual(['http_stream']);
});

test('without overlap websocket remains', () => {
  expect(pickTransports(['http_stream'], ['webtransport'])).toEqual(['websocket']);
});

test.each([
  ['http://h:1', 'websocket', 'ws://h:1/connection/websocket'],
  ['https://h/base/', 'websocket', 'wss://h/base/connection/websocket'],
  ['wss://h', 'http_stream', 'https://h/connection/http_stream'],
  ['ws://h:8000?a=b#c', 'http_stream', 'http://h:8000/connection/http_stream'],
] as const)('%s by %s is %s', (base, transport, address) => {
  expect(transportEndpoint(base, transport)).toBe(address);
});

test('webtransport is https, on the port of the manifest', () => {
  expect(transportEndpoint('http://h:1', 'webtransport', 4433)).toBe(
    'https://h:4433/connection/webtransport',
  );
  expect(transportEndpoint('wss://h:1', 'webtransport')).toBe('https://h:1/connection/webtransport');
});

test('commands of one-way transports go to the emulation endpoint', () => {
  expect(emulationEndpoint('wss://h/base')).toBe('https://h/base/emulation');
});

test.each(['', 'h:1', 'ftp://h', 'http://'])('%j is not an endpoint', endpoint => {
  expect(() => transportEndpoint(endpoint, 'websocket')).toThrow(
    expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' }),
  );
});
