// The package has no types of its own.
declare module 'http_ece' {
  interface Decryption {
    readonly version: 'aes128gcm';
    /** With the private key of the subscription. */
    readonly privateKey: import('node:crypto').ECDH;
    readonly authSecret: string;
  }
  const ece: { decrypt(body: Buffer, keys: Decryption): Buffer };
  // biome-ignore lint/style/noDefaultExport: the package is one object
  export default ece;
}
