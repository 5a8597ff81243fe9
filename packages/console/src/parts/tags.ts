/** Tags of a text such as `carrier=dhl, region=eu`; undefined for a part in another form. */
export function tagsOf(text: string): ReadonlyMap<string, string> | undefined {
  const tags = new Map<string, string>();
  for (const part of text.split(',')) {
    const tag = part.trim();
    if (tag === '') continue;
    const equals = tag.indexOf('=');
    if (equals < 1) return undefined;
    tags.set(tag.slice(0, equals).trim(), tag.slice(equals + 1).trim());
  }
  return tags;
}

/** The flags of a command for tags. */
export function tagFlags(tags: ReadonlyMap<string, string>): string[] {
  return [...tags].flatMap(([name, value]) => ['--tag', `${name}=${value}`]);
}
