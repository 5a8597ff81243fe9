// node --import: the optional peers are not installed for this process.
import { registerHooks } from 'node:module';

const PEERS = ['postgres', 'centrifuge', 'ws', '@resvg/resvg-js'];

registerHooks({
  resolve(specifier, context, next) {
    if (!PEERS.includes(specifier)) return next(specifier, context);
    throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' });
  },
});
