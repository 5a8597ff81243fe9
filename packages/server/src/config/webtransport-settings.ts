import { list, path, setting, text, toggle } from '@msg/command-line';

/** The settings of the WebTransport listener (messaging details 10.4, 17). */
export const WEBTRANSPORT_SETTINGS = {
  webtransportEnabled: setting(
    'server.webtransport.enabled',
    toggle,
    false,
    'open the WebTransport listener; an address alone does so too',
  ),
  webtransportAddr: setting(
    'server.webtransport.addr',
    text,
    '',
    'UDP address of the WebTransport listener, host:port; empty: none',
    { flag: '--webtransport-addr', env: 'MSG_WEBTRANSPORT_ADDR' },
  ),
  webtransportCert: setting('server.webtransport.cert_file', path, '', 'PEM file of its certificate chain', {
    aliases: ['server.webtransport.tls_cert_file'],
    flag: '--webtransport-cert',
    env: 'MSG_WEBTRANSPORT_CERT',
  }),
  webtransportKey: setting('server.webtransport.key_file', path, '', 'PEM file of its private key', {
    aliases: ['server.webtransport.tls_key_file'],
    flag: '--webtransport-key',
    env: 'MSG_WEBTRANSPORT_KEY',
  }),
  webtransportOrigins: setting(
    'server.webtransport.allowed_origins',
    list,
    [],
    'browser origins that may connect there; empty: those of server.allowed_origins',
  ),
} as const;
