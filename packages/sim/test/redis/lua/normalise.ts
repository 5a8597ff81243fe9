/** Where a script failed: its digest and the line. */
export function withoutPlace(shown: string): string {
  return shown.startsWith('-') ? shown.replace(/ script: [^"]*"$/, '"') : shown;
}

/** The sign of NaN, which JavaScript does not keep. */
export function unsignedNan(shown: string): string {
  return shown.replace(/-(?=nan\b)/gi, '');
}

/** What of a reply is not compared. */
export const NORMALISATIONS: readonly ((shown: string) => string)[] = [withoutPlace, unsignedNan];
