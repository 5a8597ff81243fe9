import { SinkFailure } from './failure.ts';

/** Maximum depth of causes, because a chain may be circular. */
const MAX_CAUSES = 8;

/** Codes of sockets, name resolution, HTTP and mail clients for an unreachable destination. */
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
/** Codes of TLS for a rejected certificate. */
const CERTIFICATE_CODE = /^(?:CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;
/** `AbortError` is a transport failure here: aborts by the caller were handled before. */
const TRANSPORT_NAMES = new Set(['TimeoutError', 'AbortError']);

/** Specified message prefixes, for untyped errors of embedders' sinks. */
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
 * Whether a failed send may be retried. In this order: the mark of the error decides; an abort by the caller is final;
 * transport failures, also as a cause, are transient; then the message prefix decides. Source: messaging details 12.2.
 */
export function isTransient(error: unknown, callerAborted: boolean): boolean {
  for (const cause of causes(error)) if (cause instanceof SinkFailure) return cause.transient;
  if (callerAborted) return false;
  for (const cause of causes(error)) if (isTransport(cause)) return true;
  const text = error instanceof Error ? error.message : String(error);
  return HTTP_TRANSIENT.test(text) || SMTP_TRANSIENT.test(text);
}
