import { MsgError } from '@msg/core';

/** Tags of `--tag name=value`. @throws MsgError MSG_INVALID_ARGUMENT for a tag in another form */
export function tagsOf(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map(text => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)] as const;
      throw new MsgError('MSG_INVALID_ARGUMENT', `--tag must be name=value; got ${JSON.stringify(text)}`);
    }),
  );
}
