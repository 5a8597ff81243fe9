import type { PatternToken } from '@msg/core/internal';
import { baseName, Names, parameterName, pascalCase } from './names.ts';
import type { AspectSource, PatternSource } from './snapshot.ts';

/** A piece of a channel name: fixed text, a parameter, or a parameter for all further tokens. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'rest'; readonly name: string };

export interface AspectModel {
  readonly aspect: AspectSource;
  readonly typeName: string;
}

/** The model of one pattern's code, with all names. */
export interface PatternModel {
  readonly text: string;
  readonly base: string;
  /** The pieces of the channel name in order; adjacent texts are merged. */
  readonly pieces: readonly Piece[];
  /** Whether the pattern has placeholders. */
  readonly hasPlaceholders: boolean;
  readonly aspects: readonly AspectModel[];
}

/** Names of every pattern's declarations. */
const OWN = ['Pattern', 'Channel'];

/**
 * Chooses all names of one output: base names first, so that they do not depend on aspects, then types. Equal input gives
 * equal names. `reserved` are words of the language that cannot name a parameter.
 */
export function modelOf(
  sources: readonly PatternSource[],
  reserved: ReadonlySet<string>,
): readonly PatternModel[] {
  const bases = new Names();
  const named = sources.map(source => ({ source, base: bases.take(baseName(source.pattern)) }));
  const types = new Names(named.flatMap(({ base }) => OWN.map(suffix => base + suffix)));
  return named.map(({ source: { pattern, aspects }, base }) => {
    const pieces = piecesOf(pattern.tokens, pattern.separators, reserved);
    return {
      text: pattern.text,
      base,
      pieces,
      hasPlaceholders: pieces.some(({ kind }) => kind !== 'text'),
      aspects: aspects.map(aspect => ({ aspect, typeName: types.take(base + pascalCase(aspect.name)) })),
    };
  });
}

function piecesOf(
  tokens: readonly PatternToken[],
  separators: readonly string[],
  reserved: ReadonlySet<string>,
): readonly Piece[] {
  const parameters = new Names(reserved);
  const pieces: Piece[] = [];
  let text = '';
  let wildcards = 0;
  const flush = (): void => {
    if (text !== '') pieces.push({ kind: 'text', text });
    text = '';
  };
  const push = (kind: 'parameter' | 'rest', wanted: string): void => {
    flush();
    pieces.push({ kind, name: parameters.take(parameterName(wanted, reserved)) });
  };
  for (const [index, token] of tokens.entries()) {
    if (index > 0) text += separators[index - 1] ?? '.';
    if (token.kind === 'literal') text += token.text;
    else if (token.kind === 'placeholder') push('parameter', token.name);
    else if (token.kind === 'wildcard') push('parameter', `arg${wildcards++}`);
    else push('rest', 'rest');
  }
  flush();
  return pieces;
}
