declare const atob: (text: string) => string;

/** The bytes of standard base64. @throws DOMException for a text that is not base64 */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0));
}
