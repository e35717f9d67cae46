import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { decrypt, encrypt, lengths, SealingKeys } from './sealing-keys.js';

const nonceAt = lengths.keyId + lengths.salt;
const bodyAt = nonceAt + lengths.nonce;

/** Jobs and replies have different keys, so that neither can take the place of the other. */
export type QueueSealerUse = 'jobs' | 'replies';

/**
 * Seals what one sender and one lane send to each other (AES-256-GCM), so that no content, token or number is readable in the
 * broker.
 *
 * Each process derives a key of its own from the shared one and a random salt, and counts its nonces. Random nonces under
 * one shared key would be unsafe after 2^32 messages, which is a few busy days.
 */
export class QueueSealer {
  private readonly keys: SealingKeys;
  private readonly salt = randomBytes(lengths.salt);
  private readonly ownKey: Buffer;
  private readonly senderKeys = new LRUCache<string, Buffer>({ max: 256 });
  private counter = 0n;

  constructor(
    keys: readonly string[],
    private readonly use: QueueSealerUse,
  ) {
    this.keys = new SealingKeys(keys, { variable: 'QUEUE_KEYS', use: '' });
    this.ownKey = this.derive(this.keys.sealingKey, this.salt);
  }

  /** @param bound what the text belongs to; it opens only together with the same value */
  seal(text: string, bound: string): string {
    const nonce = Buffer.alloc(lengths.nonce);
    nonce.writeBigUInt64BE((this.counter += 1n), lengths.nonce - 8);
    const encrypted = encrypt({ key: this.ownKey, nonce }, text, bound);
    return Buffer.concat([this.keys.sealingId, this.salt, nonce, ...encrypted]).toString('base64');
  }

  /** @throws if it was altered, bound to something else, or sealed with a key that this process does not have */
  open(sealed: string, bound: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < bodyAt + lengths.tag) throw new Error('The sealed text is too short');
    const key = this.senderKey(bytes.subarray(0, nonceAt));
    return decrypt({ key, nonce: bytes.subarray(nonceAt, bodyAt) }, bytes.subarray(bodyAt), bound);
  }

  private senderKey(sender: Buffer): Buffer {
    const name = sender.toString('base64');
    const known = this.senderKeys.get(name);
    if (known) return known;
    const key = this.derive(
      this.keys.find(sender.subarray(0, lengths.keyId)),
      sender.subarray(lengths.keyId),
    );
    this.senderKeys.set(name, key);
    return key;
  }

  private derive(key: Buffer, salt: Buffer): Buffer {
    return Buffer.from(hkdfSync('sha256', key, salt, `gangan-queue ${this.use}`, lengths.key));
  }
}
