import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { type KeyUse, lengths, SealingKeys } from './sealing-keys.js';
import { inBlocks, splitOff } from './stream-blocks.js';

const headerLength = lengths.keyId + lengths.salt;
const blockLength = 64 * 1024;

/** The stream was changed, cut off, or joined from parts of several. */
export class SealedStreamError extends Error {
  override readonly name = 'SealedStreamError';
}

/**
 * Seals a stream of any length in blocks (AES-256-GCM), so that no block is passed on before it was verified.
 *
 * As in the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, the nonce of a block is its number and whether
 * it is the last one, so that blocks cannot be left out, repeated or moved, and the end cannot be cut off. Each stream has a
 * key of its own, derived from a random salt, so that a block does not open in another stream. The header (the id of
 * the key, and the salt) is authenticated with each block.
 */
export class StreamSealer {
  private readonly keys: SealingKeys;

  /** @param keys the first seals, all of them open */
  constructor(
    keys: readonly string[],
    private readonly keyUse: KeyUse,
  ) {
    this.keys = new SealingKeys(keys, keyUse);
  }

  /** The id of the key that seals, in hex; reveals nothing about the key. */
  get sealingId(): string {
    return this.keys.sealingId.toString('hex');
  }

  /** The ids of the keys that open, in hex. */
  get openableIds(): string[] {
    return this.keys.ids.map((id) => id.toString('hex'));
  }

  /** @param bound what the stream belongs to; it opens only together with the same value */
  async *seal(source: AsyncIterable<Buffer>, bound: string): AsyncGenerator<Buffer> {
    const header = Buffer.concat([this.keys.sealingId, randomBytes(lengths.salt)]);
    const cipher = this.cipherOf(header, bound);
    yield header;
    let number = 0;
    for await (const { block, isLast } of inBlocks(source, blockLength)) {
      yield encryptBlock(cipher, nonceOf(number, isLast), block);
      number += 1;
    }
  }

  /**
   * @throws UnknownKey before the first block if this process does not have the key
   * @throws SealedStreamError at the first block that is not as it was sealed
   */
  async *open(source: AsyncIterable<Buffer>, bound: string): AsyncGenerator<Buffer> {
    const { head: header, rest } = await splitOff(source, headerLength);
    if (header.length < headerLength) throw new SealedStreamError('it ends too early');
    const cipher = this.cipherOf(header, bound);
    let number = 0;
    for await (const { block, isLast } of inBlocks(rest, blockLength + lengths.tag)) {
      const opened = decryptBlock(cipher, nonceOf(number, isLast), block);
      if (!opened) throw new SealedStreamError(faultOf(cipher, number, isLast, block));
      yield opened;
      number += 1;
    }
  }

  private cipherOf(header: Buffer, bound: string): BlockCipher {
    const master = this.keys.find(header.subarray(0, lengths.keyId));
    const key = hkdfSync('sha256', master, header.subarray(lengths.keyId), this.keyUse.use, lengths.key);
    return { key: Buffer.from(key), bound: Buffer.concat([Buffer.from(bound), header]) };
  }
}

/** Seals backups. @param keys of `BACKUP_KEY` */
export const backupSealer = (keys: readonly string[]): StreamSealer =>
  new StreamSealer(keys, { variable: 'BACKUP_KEY', use: 'gangan-backup' });

interface BlockCipher {
  readonly key: Buffer;
  readonly bound: Buffer;
}

/** 4 bytes of the number allow streams of 256 TiB; a greater number throws. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(lengths.nonce);
  nonce.writeUInt32BE(number, lengths.nonce - 5);
  nonce.writeUInt8(isLast ? 1 : 0, lengths.nonce - 1);
  return nonce;
}

function encryptBlock({ key, bound }: BlockCipher, nonce: Buffer, block: Buffer): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bound);
  return Buffer.concat([cipher.update(block), cipher.final(), cipher.getAuthTag()]);
}

/** Undefined if the block was not sealed with this key, nonce and place. */
function decryptBlock({ key, bound }: BlockCipher, nonce: Buffer, block: Buffer): Buffer | undefined {
  const tagAt = block.length - lengths.tag;
  if (tagAt < 0) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: lengths.tag });
  decipher.setAAD(bound).setAuthTag(block.subarray(tagAt));
  const opened = decipher.update(block.subarray(0, tagAt));
  try {
    decipher.final();
    return opened;
  } catch {
    return undefined;
  }
}

function faultOf(cipher: BlockCipher, number: number, isLast: boolean, block: Buffer): string {
  if (!decryptBlock(cipher, nonceOf(number, !isLast), block))
    return 'it was changed, or cut off in the middle of a block';
  return isLast ? 'its end was cut off' : 'something was added to its end';
}
