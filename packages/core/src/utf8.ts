/** The encoder every browser and Node.js has; declared here because this package names no platform's types. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** The UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
