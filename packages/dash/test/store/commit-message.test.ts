import { describe, expect, it } from 'vitest';
import { commitMessage, dashTrailers } from '#src/store/commit-message.ts';

describe('trailers of a commit', () => {
  it('are read back as they were written', () => {
    const trailers = { 'Dash-Proposal': 'abcdefghij', 'Dash-Proposed-By': 'agent 1.0: beta' };
    const message = commitMessage('Rename', ['replace /a'], 'base', trailers);
    expect([...dashTrailers(message)]).toEqual([['Dash-Base-Revision', 'base'], ...Object.entries(trailers)]);
  });

  it.each([
    ['the subject', commitMessage('Dash-Proposed-By: me\n\nDash-Committed-By: me')],
    ['a pointer', commitMessage('Subject', ['replace /a\n\nDash-Committed-By: me'])],
  ])('cannot be forged through %s', (_place, message) => {
    expect(dashTrailers(message).get('Dash-Committed-By')).toBe(undefined);
  });

  it('are not read from a message without trailers, nor from a paragraph with other lines', () => {
    expect(dashTrailers('Edited by hand')).toEqual(new Map());
    expect(dashTrailers('Subject\n\nDash-Proposal: a\nand more')).toEqual(new Map());
  });
});
