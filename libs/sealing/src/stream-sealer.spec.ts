import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newSealingKey } from './sealing-keys.js';
import { StreamSealer } from './stream-sealer.js';

const [headerLength, blockLength] = [20, 64 * 1024];
const sealedLength = blockLength + 16;

const sealerWith = (...keys: readonly string[]): StreamSealer =>
  new StreamSealer(keys, { variable: 'BACKUP_KEY', use: 'test' });

const chunksOf = (bytes: Buffer, length = 10_007): AsyncIterable<Buffer> =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
    })(),
  );

async function bytesOf(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('StreamSealer', () => {
  const key = newSealingKey();
  const sealer = sealerWith(key);
  const seal = (bytes: Buffer): Promise<Buffer> => bytesOf(sealer.seal(chunksOf(bytes), 'a'));
  const open = (bytes: Buffer, other = sealer, bound = 'a'): Promise<Buffer> =>
    bytesOf(other.open(chunksOf(bytes), bound));
  /** Each block has other bytes. */
  const content = (length: number): Buffer =>
    Buffer.from(Array.from({ length }, (_, place) => (place >> 8) & 255));
  const ofFourBlocks = content(3 * blockLength + 5);

  it('returns a stream of any length to another process with the key', async () => {
    for (const length of [0, 1, blockLength - 1, blockLength, blockLength + 1, 3 * blockLength]) {
      const sealed = await seal(content(length));
      expect(sealed).toHaveLength(headerLength + length + 16 * Math.max(1, Math.ceil(length / blockLength)));
      expect((await open(sealed, sealerWith(key))).equals(content(length))).toBe(true);
    }
  });

  it('opens chunks of any length', async () => {
    const sealed = await seal(content(blockLength + 9));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2 * blockLength }), async (length) => {
        const opened = await bytesOf(sealer.open(chunksOf(sealed, length), 'a'));
        expect(opened.equals(content(blockLength + 9))).toBe(true);
      }),
      { numRuns: 10, examples: [[1]] },
    );
  });

  it('rejects a stream of which any byte was changed, before it passes on that block', async () => {
    const sealed = await seal(ofFourBlocks);
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const altered = Buffer.from(sealed);
        altered.writeUInt8(altered.readUInt8(at) ^ flip, at);
        let passed = 0;
        const opening = (async () => {
          for await (const block of sealer.open(chunksOf(altered), 'a')) passed += block.length;
        })();
        await expect(opening).rejects.toThrow(/changed|is not in BACKUP_KEY/);
        expect(passed).toBe(
          at < headerLength ? 0 : Math.floor((at - headerLength) / sealedLength) * blockLength,
        );
      }),
      {
        numRuns: 50,
        examples: [
          [0, 1],
          [headerLength - 1, 1],
          [sealed.length - 1, 1],
        ],
      },
    );
  });

  const header = (sealed: Buffer): Buffer => sealed.subarray(0, headerLength);
  const block = (sealed: Buffer, number: number): Buffer =>
    sealed.subarray(headerLength + number * sealedLength, headerLength + (number + 1) * sealedLength);

  it('rejects a stream that was cut off anywhere', async () => {
    const sealed = await seal(ofFourBlocks);
    for (const length of [0, 5, headerLength - 1])
      await expect(open(sealed.subarray(0, length))).rejects.toThrow('too early');
    for (const length of [headerLength, headerLength + 9, sealed.length - 1])
      await expect(open(sealed.subarray(0, length))).rejects.toThrow('changed, or cut off');
    for (const blocks of [1, 2, 3])
      await expect(open(sealed.subarray(0, headerLength + blocks * sealedLength))).rejects.toThrow(
        'its end was cut off',
      );
  });

  it('rejects blocks that were left out, repeated, moved or added', async () => {
    const sealed = await seal(ofFourBlocks);
    const other = await seal(ofFourBlocks);
    const joined = (...numbers: number[]): Buffer =>
      Buffer.concat([header(sealed), ...numbers.map((number) => block(sealed, number))]);
    await expect(open(joined(0, 1, 2, 3))).resolves.toHaveLength(ofFourBlocks.length);
    for (const numbers of [[0, 2, 3], [0, 1, 1, 2, 3], [1, 0, 2, 3], [3], []])
      await expect(open(joined(...numbers))).rejects.toThrow('changed');
    await expect(open(Buffer.concat([sealed, block(sealed, 3)]))).rejects.toThrow('changed');
    await expect(open(Buffer.concat([sealed, other]))).rejects.toThrow('changed');
  });

  it('rejects a block of another stream of the same key', async () => {
    const [sealed, other] = [await seal(ofFourBlocks), await seal(ofFourBlocks)];
    const mixed = Buffer.concat([
      header(sealed),
      block(sealed, 0),
      other.subarray(headerLength + sealedLength),
    ]);
    await expect(open(mixed)).rejects.toThrow('changed');
    const exchanged = Buffer.concat([header(other), sealed.subarray(headerLength)]);
    await expect(open(exchanged)).rejects.toThrow('changed');
  });

  it('rejects what was added to the end of a full last block', async () => {
    const sealed = await seal(content(blockLength));
    await expect(open(Buffer.concat([sealed, Buffer.alloc(9)]))).rejects.toThrow('added to its end');
  });

  it('opens only together with what it is bound to, and with a key that it names', async () => {
    const sealed = await seal(content(9));
    await expect(open(sealed, sealer, 'b')).rejects.toThrow('changed');
    const next = newSealingKey();
    expect(await open(sealed, sealerWith(next, key))).toEqual(content(9));
    await expect(open(sealed, sealerWith(next))).rejects.toMatchObject({
      name: 'UnknownKey',
      keyId: sealer.sealingId,
    });
  });
});
