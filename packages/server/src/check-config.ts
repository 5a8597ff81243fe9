import { checkOidc } from './access/oidc/options.ts';
import { parseListenAddress } from './http/listener.ts';
import { Msg } from './msg.ts';
import { silentLogger } from './observability/logger.ts';
import { msgOptions, oidcOptions, type ServeConfig } from './serve-options.ts';

/**
 * Checks a configuration as a boot would, without touching anything outside: no listener, no keyring, no identity
 * provider.
 * @throws MsgError naming the key.
 */
export async function checkConfig(config: ServeConfig): Promise<void> {
  const { settings } = config;
  parseListenAddress(settings.addr);
  const bridge = oidcOptions(settings);
  if (bridge !== undefined) checkOidc(bridge);
  const { oidc: _asked, ...options } = msgOptions(config, silentLogger);
  const msg = await Msg.create({ ...options, stateDir: '' });
  msg.bootstrapToken(settings.mgmtSubject, settings.mgmtTtl);
}
