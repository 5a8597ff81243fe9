import { checkOidc } from '../../auth/access/oidc/options.ts';
import { parseListenAddress } from '../../http/bind.ts';
import { Msg } from '../../msg.ts';
import { silentLogger } from '../../observability/logger.ts';
import { msgOptions, oidcOptions, type ServeConfig } from '../../service/settings-options.ts';

/**
 * Checks a configuration as a start does, but opens no listener, keyring or identity provider.
 * @throws MsgError naming the key.
 */
export async function checkConfig(config: ServeConfig): Promise<void> {
  const { settings } = config;
  parseListenAddress(settings.addr);
  const bridge = oidcOptions(settings);
  if (bridge !== undefined) checkOidc(bridge);
  const { oidc: _asked, redis, ...options } = await msgOptions(config, { logger: silentLogger });
  if (redis !== undefined) {
    const { checkRedisOptions } = await import('../../stores/redis/connect.ts');
    checkRedisOptions(redis);
  }
  const msg = await Msg.create({ ...options, stateDir: '' });
  msg.tokens.issueBootstrap(settings.mgmtSubject, settings.mgmtTtl);
}
