import { execFileSync } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const EXTENSIONS = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/**
 * A certificate for this machine that browsers accept by its hash: ECDSA on P-256, valid for ten days (W3C WebTransport,
 * "custom certificate requirements").
 */
export class ShortLivedCertificate {
  readonly #folder: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** SHA-256 of the certificate's DER, as `serverCertificateHashes` takes it. */
  readonly hash: Uint8Array;

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'msg-certificate-'));
    this.certFile = join(this.#folder, 'cert.pem');
    this.keyFile = join(this.#folder, 'key.pem');
    const files = ['-keyout', this.keyFile, '-out', this.certFile];
    execFileSync(
      'openssl',
      ['req', '-x509', '-days', '10', '-subj', '/CN=localhost', ...KEY, ...EXTENSIONS, ...files],
      {
        stdio: 'ignore',
      },
    );
    const { raw } = new X509Certificate(readFileSync(this.certFile));
    this.hash = createHash('sha256').update(raw).digest();
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
