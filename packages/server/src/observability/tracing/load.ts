import { MsgError } from '@msg/core';
import type { OtlpTracing } from './otlp.ts';

/** The packages that `otlp.ts` imports: optional peers, so that an installation without traces is half the size. */
const PACKAGES = ['api', 'sdk-trace', 'resources', 'exporter-trace-otlp-proto'].map(
  name => `@opentelemetry/${name}`,
);

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

/**
 * Loads tracing, and the libraries behind it.
 * @throws MsgError MSG_INVALID_ARGUMENT, with the command that installs them, when they are missing
 */
export async function loadTracing(): Promise<typeof OtlpTracing> {
  try {
    return (await import('./otlp.ts')).OtlpTracing;
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `observability.otlp_endpoint needs packages that are not installed: npm install ${PACKAGES.join(' ')}`,
      { cause },
    );
  }
}
