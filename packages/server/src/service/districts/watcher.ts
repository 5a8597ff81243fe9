import { DEFAULT_KEYRING_POLL_MS, KeyringWatcher } from '../../auth/keys/watcher.ts';
import { errorFields } from '../../observability/logger.ts';
import type { Base, LateParts } from './base.ts';

/** Looks at the stored keyring, and tells of a reload that failed. */
export function composeWatcher({ options, keyring, clock, logger }: Base, late: LateParts): KeyringWatcher {
  return new KeyringWatcher(keyring, clock, options.keyringPollMs ?? DEFAULT_KEYRING_POLL_MS, {
    onReloaded: () => logger.info({ active_key_id: keyring.active.id }, 'keyring reloaded'),
    onFailed(error) {
      late.metrics.reconcileFailed();
      logger.warn(errorFields(error), 'keyring could not be reloaded, the old one stays');
    },
  });
}
