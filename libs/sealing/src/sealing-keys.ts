import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The lengths of the parts of a sealed text, in bytes. */
export const lengths = { key: 32, keyId: 4, salt: 16, nonce: 12, tag: 16 } as const;

/** A new value for `QUEUE_KEY`. */
export const newQueueKey = (): string => randomBytes(lengths.key).toString('base64');

/** The keys of `QUEUE_KEY`: the first seals, all of them open, so that a key can be replaced without downtime. */
export class SealingKeys {
  readonly sealingKey: Buffer;
  readonly sealingId: Buffer;
  private readonly byId = new Map<string, Buffer>();

  /** @param use keeps the ids of different uses apart */
  constructor(
    keys: readonly string[],
    private readonly use: string,
  ) {
    const [first] = keys;
    if (first === undefined) throw new Error('QUEUE_KEY is missing: it must be 32 bytes in base64');
    for (const text of keys) {
      const key = Buffer.from(text, 'base64');
      if (key.length !== lengths.key) throw new Error('QUEUE_KEY must be 32 bytes in base64');
      this.byId.set(this.idOf(key).toString('hex'), key);
    }
    this.sealingKey = Buffer.from(first, 'base64');
    this.sealingId = this.idOf(this.sealingKey);
  }

  /** The key that a sealed text was sealed with. @throws if this process does not have it */
  find(id: Buffer): Buffer {
    const key = this.byId.get(id.toString('hex'));
    if (!key) throw new Error('It was sealed with a key that this process does not have (QUEUE_KEY)');
    return key;
  }

  /** Distinguishes the keys and reveals nothing about them. */
  private idOf(key: Buffer): Buffer {
    return createHash('sha256').update(this.use).update(key).digest().subarray(0, lengths.keyId);
  }
}

export interface Cipher {
  readonly key: Buffer;
  readonly nonce: Buffer;
}

/** Encrypts with AES-256-GCM. Decryption needs the same `bound`. @returns the tag, followed by the encrypted text */
export function encrypt({ key, nonce }: Cipher, text: string, bound: string): Buffer[] {
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(bound));
  const body = [cipher.update(text, 'utf8'), cipher.final()];
  return [cipher.getAuthTag(), ...body];
}

/** @throws if `encrypted` was altered or bound to something else */
export function decrypt({ key, nonce }: Cipher, encrypted: Buffer, bound: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAAD(Buffer.from(bound));
  decipher.setAuthTag(encrypted.subarray(0, lengths.tag));
  return decipher.update(encrypted.subarray(lengths.tag), undefined, 'utf8') + decipher.final('utf8');
}
