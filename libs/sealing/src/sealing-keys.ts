import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The lengths of the parts of a sealed text, in bytes. */
export const lengths = { key: 32, keyId: 4, salt: 16, nonce: 12, tag: 16 } as const;

/** A new value for `QUEUE_MASTER_KEY`, `DATA_MASTER_KEY` or `BACKUP_KEY`. */
export const newSealingKey = (): string => randomBytes(lengths.key).toString('base64');

/** Splits the value of a variable that has several keys. */
export const splitKeys = (keys: string): string[] => keys.split(',').map((key) => key.trim());

export interface KeyUse {
  /** The variable that holds the keys; errors name it. */
  readonly variable: 'QUEUE_KEYS' | 'QUEUE_KEY' | 'DATA_KEYS' | 'BACKUP_KEY';
  /** Keeps the keys of different uses apart: their ids and the keys derived from them differ. */
  readonly use: string;
}

/** A sealed text names a key that this process does not have. */
export class UnknownKey extends Error {
  override readonly name = 'UnknownKey';

  /** @param keyId in hex */
  constructor(
    readonly keyId: string,
    variable: KeyUse['variable'],
  ) {
    super(`It was sealed with a key that is not in ${variable}: add that key`);
  }
}

/** The keys of a variable: the first seals, all of them open, so that a key can be replaced without downtime. */
export class SealingKeys {
  readonly sealingKey: Buffer;
  readonly sealingId: Buffer;
  private readonly byId = new Map<string, Buffer>();

  constructor(
    keys: readonly string[],
    private readonly keyUse: KeyUse,
  ) {
    const [first] = keys;
    const { variable } = keyUse;
    if (first === undefined) throw new Error(`${variable} is missing: it must be 32 bytes in base64`);
    for (const text of keys) {
      const key = Buffer.from(text, 'base64');
      if (key.length !== lengths.key) throw new Error(`${variable} must be 32 bytes in base64`);
      this.byId.set(this.idOf(key).toString('hex'), key);
    }
    this.sealingKey = Buffer.from(first, 'base64');
    this.sealingId = this.idOf(this.sealingKey);
  }

  /** The ids of all keys. A sealed text begins with the id of its key. */
  get ids(): Buffer[] {
    return [...this.byId.keys()].map((id) => Buffer.from(id, 'hex'));
  }

  has(id: Buffer): boolean {
    return this.byId.has(id.toString('hex'));
  }

  /** The key that a sealed text was sealed with. @throws if this process does not have it */
  find(id: Buffer): Buffer {
    const key = this.byId.get(id.toString('hex'));
    if (key) return key;
    throw new UnknownKey(id.toString('hex'), this.keyUse.variable);
  }

  /** Distinguishes the keys and reveals nothing about them. */
  private idOf(key: Buffer): Buffer {
    return createHash('sha256').update(this.keyUse.use).update(key).digest().subarray(0, lengths.keyId);
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
