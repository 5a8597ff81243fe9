import type { Random } from '@msg/foundation/clock';
import type { Keyring } from '../keys/keyring.ts';
import type { TokenClaims } from './claims.ts';

type OnSigned = (kid: string, claims: TokenClaims) => void;

/** Signs tokens with the active key. Format: messaging details 6.1. */
export class TokenSigner {
  readonly #keyring: Keyring;
  readonly #random: Random;
  readonly #onSigned: OnSigned;

  /** @param onSigned called with each token's key and claims */
  constructor(keyring: Keyring, random: Random, onSigned: OnSigned = () => {}) {
    this.#keyring = keyring;
    this.#random = random;
    this.#onSigned = onSigned;
  }

  /** The compact JWS, and the id of the key that signed it. */
  sign(claims: TokenClaims): { readonly token: string; readonly kid: string } {
    this.#keyring.live.requireCurrent();
    const { id, material } = this.#keyring.active;
    const header = { alg: material.alg, kid: id, typ: 'JWT' };
    this.#onSigned(id, claims);
    const input = `${encode(header)}.${encode(claims)}`;
    return { token: `${input}.${Buffer.from(material.sign(input)).toString('base64url')}`, kid: id };
  }

  /**
   * A token or family id: 16 random bytes, 22 characters. It does not start with `-`, so that commands accept it as an
   * argument.
   */
  newId(): string {
    const id = Buffer.from(this.#random.bytes(16)).toString('base64url');
    return id.startsWith('-') ? this.newId() : id;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
