/** Colours of code blocks: the roles of the design tokens, so that one rendering serves both themes. */
export const CODE_COLOURS = {
  name: 'msg',
  type: 'css' as const,
  fg: 'var(--ink)',
  bg: 'var(--sunken)',
  settings: [
    { settings: { foreground: 'var(--ink)', background: 'var(--sunken)' } },
    { scope: ['string', 'markup.inline.raw'], settings: { foreground: 'var(--syn-string)' } },
    { scope: ['string.unquoted'], settings: { foreground: 'var(--ink)' } },
    { scope: ['constant.numeric'], settings: { foreground: 'var(--syn-number)' } },
    {
      scope: ['keyword', 'storage', 'constant.language', 'variable.language', 'entity.name.tag'],
      settings: { foreground: 'var(--syn-atom)' },
    },
    {
      scope: ['keyword.operator', 'storage.type.function.arrow', 'punctuation'],
      settings: { foreground: 'var(--syn-key)' },
    },
    { scope: ['comment', 'punctuation.definition.comment'], settings: { foreground: 'var(--syn-mute)' } },
    { scope: ['punctuation.definition.string'], settings: { foreground: 'var(--syn-string)' } },
  ],
};
