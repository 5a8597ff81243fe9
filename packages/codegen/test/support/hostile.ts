import fc from 'fast-check';

/** Texts that try to leave the place they are put into. */
const NASTY = [
  ...[
    '*/',
    '/*',
    '//',
    '`',
    '"',
    "'",
    '\\',
    '\n',
    '\r\n',
    '\u2028',
    '\u0085',
    '\0',
    '\u202e',
    '\ufeff',
    '\ud800',
  ],
  ...[
    '*/ export const x = 1; /*',
    '"; func init() { panic(1) } //',
    `$\{process.exit()}`,
    '`+`',
    '%s',
    '</script>',
  ],
  ...[
    '//go:embed x',
    '+build ignore',
    '- list',
    '1. list',
    '# heading',
    '[x]: http://y',
    '\tindented',
    'ümläut',
    '日本',
  ],
];
const WORDS = [
  ...[
    'type',
    'func',
    'class',
    'interface',
    'package',
    'default',
    'await',
    'arguments',
    'string',
    'len',
    'strings',
    'json',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'prototype',
    'init',
    'main',
    '_',
    '$',
    '-',
    '',
    '0',
    '1st',
    'id',
    'ID',
    'Id',
  ],
];

const text = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.constantFrom(...WORDS),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
  fc.string({ maxLength: 12, unit: 'binary' }),
  fc.array(fc.constantFrom(...NASTY), { minLength: 2, maxLength: 3 }).map(parts => parts.join('')),
);

const payload = fc.letrec(tie => ({
  schema: fc.oneof(
    { maxDepth: 3 },
    fc.constant({}),
    fc.constantFrom(null, 1, 'x', []),
    fc.record(
      {
        type: fc.oneof(
          {
            weight: 5,
            arbitrary: fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null'),
          },
          { weight: 1, arbitrary: fc.constantFrom('date', ['string'], null) },
        ),
        required: fc.array(text, { maxLength: 3 }),
        properties: fc.dictionary(text, tie('schema'), { maxKeys: 5 }),
        items: tie('schema'),
        description: text,
        $ref: fc.constant('#'),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema;

const token = fc.oneof(
  text.map(word => word.replace(/[.:{}*]/g, '') || 'x'),
  text.map(word => `{${word.replace(/[.:{}*]/g, '') || 'x'}}`),
  fc.constant('*'),
);
const pattern = fc
  .tuple(
    fc.uniqueArray(token, { minLength: 1, maxLength: 4, selector: word => word }),
    fc.constantFrom('.', ':'),
    fc.boolean(),
  )
  .map(([tokens, separator, rest]) => [...tokens, ...(rest ? ['**'] : [])].join(separator).toWellFormed());

/** Registries as an enemy would fill them. */
export const hostileRegistry = fc
  .uniqueArray(
    fc.record({
      pattern,
      description: text,
      aspects: fc.dictionary(
        text,
        fc.record({ description: text, payload_schema: payload }, { requiredKeys: [] }),
        {
          maxKeys: 4,
        },
      ),
    }),
    { minLength: 1, maxLength: 6, selector: entry => entry.pattern },
  )
  .map(patterns => ({ patterns }));
