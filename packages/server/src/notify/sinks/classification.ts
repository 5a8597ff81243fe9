import { SinkFailure } from './failure.ts';

/** How deep causes are looked at; a chain may be a circle. */
const MAX_CAUSES = 8;

/** What sockets, name resolution, HTTP and mail clients report when the other side cannot be reached. */
const TRANSPORT_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ECONNECTION',
  'EPIPE',
  'ETIMEDOUT',
  'ESOCKET',
  'EDNS',
  'ETLS',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENOTFOUND',
  'EADDRNOTAVAIL',
  'EMFILE',
  'ENFILE',
  'ERR_INVALID_URL',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
const TRANSPORT_CODE = /^(?:EAI_|UND_ERR_|ERR_SOCKET_|ERR_TLS_|ERR_SSL_|HPE_)/;
/** What a TLS connection reports of the other side's certificate. */
const CERTIFICATE_CODE = /^(?:CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** `AbortError` counts here because an abort by the caller has been ruled out before. */
const TRANSPORT_NAMES = new Set(['TimeoutError', 'AbortError']);

/** Beginnings of messages that the specification names, for errors of embedders' sinks that have no type. */
const HTTP_TRANSIENT = /^(?:http|webhook returned|slack webhook returned) (?:429|5\d\d)\b/i;
const SMTP_TRANSIENT = /^(?:smtp )?4\d\d\b/i;

function* causes(error: unknown): Iterable<unknown> {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current !== undefined && current !== null; depth++) {
    yield current;
    current = current instanceof Error ? current.cause : undefined;
  }
}

function isTransport(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (TRANSPORT_NAMES.has(error.name)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return TRANSPORT_CODES.has(code) || TRANSPORT_CODE.test(code) || CERTIFICATE_CODE.test(code);
}

/**
 * Whether a failed send may be repeated. In this order: what the error was marked as; an abort by the caller is
 * final; transport failures, also as a cause, are transient; then the beginning of the message decides.
 * Source: messaging details 12.2.
 */
export function isTransient(error: unknown, callerAborted: boolean): boolean {
  for (const cause of causes(error)) if (cause instanceof SinkFailure) return cause.transient;
  if (callerAborted) return false;
  for (const cause of causes(error)) if (isTransport(cause)) return true;
  const text = error instanceof Error ? error.message : String(error);
  return HTTP_TRANSIENT.test(text) || SMTP_TRANSIENT.test(text);
}
