import { hkdfSync, randomBytes } from 'node:crypto';
import { type Cipher, decrypt, encrypt, type KeyUse, lengths, SealingKeys } from './sealing-keys.js';

const bodyAt = lengths.keyId + lengths.salt;

/**
 * Seals a text that is stored in a table (AES-256-GCM).
 *
 * Each text has its own key and nonce, derived from the first key and a random salt. So no nonces have to be counted, and
 * no key is shared between uses.
 */
export class TextSealer {
  private readonly keys: SealingKeys;

  constructor(
    keys: readonly string[],
    private readonly keyUse: KeyUse,
  ) {
    this.keys = new SealingKeys(keys, keyUse);
  }

  /** What a text that is sealed now begins with. */
  get sealingId(): Buffer {
    return this.keys.sealingId;
  }

  /** What a text that can be opened begins with. */
  get openableIds(): Buffer[] {
    return this.keys.ids;
  }

  /** Whether it was sealed with a key that this process has. */
  canOpen(sealed: Uint8Array): boolean {
    return this.keys.has(Buffer.from(sealed.subarray(0, lengths.keyId)));
  }

  /** @param bound what the text belongs to, such as the id of its row; it opens only together with the same value */
  seal(text: string, bound: string): Buffer {
    const salt = randomBytes(lengths.salt);
    const encrypted = encrypt(this.derive(this.keys.sealingKey, salt), text, bound);
    return Buffer.concat([this.keys.sealingId, salt, ...encrypted]);
  }

  /** @throws if it was altered, bound to something else, or sealed with a key that this process does not have */
  open(sealed: Uint8Array, bound: string): string {
    const bytes = Buffer.from(sealed);
    if (bytes.length < bodyAt + lengths.tag) throw new Error('The sealed text is too short');
    const key = this.keys.find(bytes.subarray(0, lengths.keyId));
    return decrypt(this.derive(key, bytes.subarray(lengths.keyId, bodyAt)), bytes.subarray(bodyAt), bound);
  }

  private derive(master: Buffer, salt: Buffer): Cipher {
    const bytes = Buffer.from(hkdfSync('sha256', master, salt, this.keyUse.use, lengths.key + lengths.nonce));
    return { key: bytes.subarray(0, lengths.key), nonce: bytes.subarray(lengths.key) };
  }
}
