import { registerHooks } from 'node:module';

/** Where the source of a substitute finds it. */
const SUBSTITUTES = Symbol.for('msg.sim.substitutes');
const SCHEME = 'msg-sim:';

/** Gives modules that are loaded from now on the substitutes of modules of Node.js. */
export function substituteModules(substitutes: ReadonlyMap<string, object>): void {
  Object.defineProperty(globalThis, SUBSTITUTES, { value: substitutes });
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const name = specifier.replace(/^node:/, '');
      if (!substitutes.has(name)) return nextResolve(specifier, context);
      const kind = context.conditions.includes('require') ? 'require' : 'import';
      return { url: `${SCHEME}${name}?${kind}`, shortCircuit: true };
    },
    load(url, context, nextLoad) {
      if (!url.startsWith(SCHEME)) return nextLoad(url, context);
      const { pathname, search } = new URL(url);
      const substitute = substitutes.get(pathname) ?? {};
      return search === '?require'
        ? { format: 'commonjs', source: `module.exports = ${holderOf(pathname)};`, shortCircuit: true }
        : { format: 'module', source: moduleOf(pathname, Object.keys(substitute)), shortCircuit: true };
    },
  });
}

function holderOf(name: string): string {
  return `globalThis[Symbol.for('msg.sim.substitutes')].get(${JSON.stringify(name)})`;
}

/** A module that lists each name: an import of one that is missing fails when it is loaded. */
function moduleOf(name: string, keys: readonly string[]): string {
  const exported = keys.filter(key => key !== 'default' && /^[A-Za-z_$][\w$]*$/.test(key));
  return [
    `const substitute = ${holderOf(name)};`,
    'export default substitute;',
    ...exported.map(key => `const $${key} = substitute.${key}; export { $${key} as ${key} };`),
  ].join('\n');
}
