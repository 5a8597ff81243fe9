/** The encoder of all browsers and Node.js, declared here because this package uses no platform's types. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** The UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
