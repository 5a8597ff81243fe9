import { describe, expect, it } from 'vitest';
import { referencesTo } from '#src/changeset/references.ts';

/** A document whose root holds this config. */
function uses(config: object, scope = '$variables', variables: object[] = []): number {
  const document = { variables, root: { id: 'page', config: { ...config } } };
  return referencesTo(document as Parameters<typeof referencesTo>[0], scope, 'env');
}

describe('the uses of a declaration', () => {
  it.each([
    [
      'texts, with blanks and several times',
      { title: '\u0024{env} and \u0024{ env }', other: ['\u0024{env}'] },
      3,
    ],
    ['no escape, other name or open end', { title: '$\u0024{env} \u0024{environment} \u0024{env' }, 0],
    ['a text behind an escape', { title: '$\u0024{a} \u0024{env}' }, 1],
    ['references that are one object', { value: { $var: 'env' }, no: { $var: 'env', more: 1 } }, 1],
  ])('counts %s', (_name, config, count) => {
    expect(uses(config)).toBe(count);
  });

  it('counts names of expressions, outside their texts and not behind a dot', () => {
    const expr = (text: string) => uses({}, '$variables', [{ name: 'x', expr: text }]);
    expect(expr("upper(env) + env + \"env\" + 'it\\'s env' + a.env + environment")).toBe(2);
    expect(expr('"unfinished env')).toBe(0);
  });

  it('counts widgets of a variable and items of a connection', () => {
    expect(referencesTo({ root: { config: { variable: 'env' } } }, '$variables', 'env')).toBe(1);
    expect(uses({ connectionId: 'env' }, '$connections')).toBe(1);
  });
});
