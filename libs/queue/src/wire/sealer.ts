import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const ID_BYTES = 4;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NONCE_AT = ID_BYTES + SALT_BYTES;
const TAG_AT = NONCE_AT + NONCE_BYTES;
const BODY_AT = TAG_AT + TAG_BYTES;
const MAX_KNOWN_SENDERS = 1_024;

export const newQueueKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/**
 * Seals what travels (AES-256-GCM), so that no content, token or number lies readable in the broker.
 *
 * Each process seals under a key of its own, derived from the shared one with a random salt, and counts its
 * nonces: random nonces under one key would run out of safety after 2^32 messages, a few busy days.
 */
export class Sealer {
  private readonly masters = new Map<string, Buffer>();
  private readonly sendingId: Buffer;
  private readonly salt = randomBytes(SALT_BYTES);
  private readonly sendingKey: Buffer;
  private readonly senders = new Map<string, Buffer>();
  private counter = 0n;

  constructor(keys: readonly string[]) {
    for (const key of keys) {
      const master = Buffer.from(key, 'base64');
      if (master.length !== KEY_BYTES) throw new Error('A queue key must be 32 bytes in base64');
      this.masters.set(idOf(master).toString('hex'), master);
    }
    const first = keys[0];
    if (first === undefined) throw new Error('At least one queue key is needed');
    const master = Buffer.from(first, 'base64');
    this.sendingId = idOf(master);
    this.sendingKey = derive(master, this.salt);
  }

  /** `bound` is what the seal is tied to: the text opens only together with the same value. */
  seal(plain: string, bound: string): string {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeBigUInt64BE((this.counter += 1n), NONCE_BYTES - 8);
    const cipher = createCipheriv('aes-256-gcm', this.sendingKey, nonce);
    cipher.setAAD(Buffer.from(bound));
    const body = [cipher.update(plain, 'utf8'), cipher.final()];
    return Buffer.concat([this.sendingId, this.salt, nonce, cipher.getAuthTag(), ...body]).toString('base64');
  }

  open(sealed: string, bound: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < BODY_AT) throw new Error('The sealed text is too short');
    const key = this.keyOf(bytes.toString('hex', 0, ID_BYTES), bytes.subarray(ID_BYTES, NONCE_AT));
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(NONCE_AT, TAG_AT));
    decipher.setAAD(Buffer.from(bound));
    decipher.setAuthTag(bytes.subarray(TAG_AT, BODY_AT));
    return decipher.update(bytes.subarray(BODY_AT), undefined, 'utf8') + decipher.final('utf8');
  }

  private keyOf(id: string, salt: Buffer): Buffer {
    const sender = `${id}:${salt.toString('base64')}`;
    const known = this.senders.get(sender);
    if (known) return known;
    const master = this.masters.get(id);
    if (!master) throw new Error('It was sealed with a key this process does not have (QUEUE_KEY)');
    const key = derive(master, salt);
    const oldest = this.senders.keys().next();
    if (this.senders.size >= MAX_KNOWN_SENDERS && !oldest.done) this.senders.delete(oldest.value);
    this.senders.set(sender, key);
    return key;
  }
}

/** Tells the living keys apart without telling anything of them. */
const idOf = (master: Buffer): Buffer => createHash('sha256').update(master).digest().subarray(0, ID_BYTES);

const derive = (master: Buffer, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', master, salt, 'gangan-queue', KEY_BYTES));
