import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';
import { type AttributeValue, attributes, type Markup } from './markup.ts';

/** The six tokens of a theme (dashboard details 8). */
const TOKENS = ['emphasis', 'spacing', 'density', 'tone', 'radius', 'border'] as const;

/**
 * The tokens that a theme sets, as attributes that the style sheet maps to custom properties. Those of a block stand on
 * the block and win over those of the document token by token, because custom properties are inherited.
 */
export function themeAttributes(theme: unknown): Markup {
  if (!isJsonObject(theme)) return attributes({});
  return attributes(Object.fromEntries(TOKENS.map(token => [`data-${token}`, tokenValue(theme, token)])));
}

function tokenValue(theme: JsonObject, token: string): AttributeValue {
  const value = ownMember(theme, token);
  return typeof value === 'string' ? value : undefined;
}
