import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { RuntimeConfig } from '@gangan/runtime';
import { Inject, Injectable } from '@nestjs/common';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const ID_BYTES = 4;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
const TAG_AT = ID_BYTES + SALT_BYTES;
const BODY_AT = TAG_AT + TAG_BYTES;

/**
 * Seals a text that has to lie in a table until somebody else has read it (AES-256-GCM).
 *
 * Every text has a key and a nonce of its own, derived from `QUEUE_KEY` with a random salt: what the queue seals and
 * what is sealed here never share a key, and no count of nonces has to be kept.
 */
@Injectable()
export class TextSealer {
  private readonly masters: ReadonlyMap<string, Buffer>;
  private readonly sealing: Buffer;

  constructor(@Inject(RuntimeConfig) { QUEUE_KEY: keys }: Pick<RuntimeConfig, 'QUEUE_KEY'>) {
    const [first, ...others] = keys.map((key) => Buffer.from(key, 'base64'));
    if (first?.length !== KEY_BYTES) throw new Error('QUEUE_KEY must be 32 bytes in base64');
    this.sealing = first;
    this.masters = new Map([first, ...others].map((master) => [idOf(master).toString('hex'), master]));
  }

  /** `bound` is what the seal is tied to, its row's id: the text opens only together with the same value. */
  seal(text: string, bound: string): Buffer {
    const salt = randomBytes(SALT_BYTES);
    const { key, nonce } = derive(this.sealing, salt);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.setAAD(Buffer.from(bound));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([idOf(this.sealing), salt, cipher.getAuthTag(), body]);
  }

  /** @throws when it was altered, bound to something else, or sealed with a key that this process does not have */
  open(sealed: Uint8Array, bound: string): string {
    const bytes = Buffer.from(sealed);
    if (bytes.length < BODY_AT) throw new Error('The sealed text is too short');
    const master = this.masters.get(bytes.toString('hex', 0, ID_BYTES));
    if (!master) throw new Error('It was sealed with a key this process does not have (QUEUE_KEY)');
    const { key, nonce } = derive(master, bytes.subarray(ID_BYTES, TAG_AT));
    const decipher = createDecipheriv('aes-256-gcm', key, nonce);
    decipher.setAAD(Buffer.from(bound));
    decipher.setAuthTag(bytes.subarray(TAG_AT, BODY_AT));
    return decipher.update(bytes.subarray(BODY_AT), undefined, 'utf8') + decipher.final('utf8');
  }
}

/** Tells the living keys apart without telling anything of them. */
const idOf = (master: Buffer): Buffer =>
  createHash('sha256').update('gangan-text').update(master).digest().subarray(0, ID_BYTES);

function derive(master: Buffer, salt: Buffer): { key: Buffer; nonce: Buffer } {
  const bytes = Buffer.from(hkdfSync('sha256', master, salt, 'gangan-text', KEY_BYTES + NONCE_BYTES));
  return { key: bytes.subarray(0, KEY_BYTES), nonce: bytes.subarray(KEY_BYTES) };
}
