import { list, path, type Setting, text, toggle } from '@msg/command-line';

/** The settings of the WebTransport listener (messaging details 10.4, 17). */
export const WEBTRANSPORT_SETTINGS = {
  webtransportEnabled: {
    key: 'server.webtransport.enabled',
    type: toggle,
    fallback: false,
    help: 'open the WebTransport listener; an address alone does so too',
  } satisfies Setting<boolean>,
  webtransportAddr: {
    key: 'server.webtransport.addr',
    flag: '--webtransport-addr',
    env: 'MSG_WEBTRANSPORT_ADDR',
    type: text,
    fallback: '',
    help: 'UDP address of the WebTransport listener, host:port; empty: none',
  } satisfies Setting<string>,
  webtransportCert: {
    key: 'server.webtransport.cert_file',
    aliases: ['server.webtransport.tls_cert_file'],
    flag: '--webtransport-cert',
    env: 'MSG_WEBTRANSPORT_CERT',
    type: path,
    fallback: '',
    help: 'PEM file of its certificate chain',
  } satisfies Setting<string>,
  webtransportKey: {
    key: 'server.webtransport.key_file',
    aliases: ['server.webtransport.tls_key_file'],
    flag: '--webtransport-key',
    env: 'MSG_WEBTRANSPORT_KEY',
    type: path,
    fallback: '',
    help: 'PEM file of its private key',
  } satisfies Setting<string>,
  webtransportOrigins: {
    key: 'server.webtransport.allowed_origins',
    type: list,
    fallback: [],
    help: 'browser origins that may connect there; empty: those of server.allowed_origins',
  } satisfies Setting<readonly string[]>,
} as const;
