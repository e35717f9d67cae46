import { createCipheriv } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxInboundBytes, packBody, textOfBody, unpackBody } from './inbound-body.js';

const restored = async (bytes: Buffer): Promise<Buffer | undefined> => {
  const packed = await packBody(bytes);
  return packed && (await unpackBody(packed));
};

describe('the body of a request of a provider', () => {
  it('keeps every byte that arrived', async () => {
    const texts = fc.string({ unit: 'binary' }).map((text) => Buffer.from(text));
    const bytes = fc.uint8Array().map((array) => Buffer.from(array));
    await fc.assert(
      fc.asyncProperty(fc.oneof(texts, bytes), fc.constantFrom(1, 5_000), async (part, times) => {
        const body = Buffer.concat(new Array<Buffer>(times).fill(part));
        expect((await restored(body))?.equals(body)).toBe(true);
      }),
      { seed: 1 },
    );
    const byteOrderMark = Buffer.from('\uFEFF{}');
    expect(await restored(byteOrderMark)).toEqual(byteOrderMark);
  });

  it('is text in UTF-8, or else in Latin-1', () => {
    expect(textOfBody(Buffer.from('é'))).toEqual({ body: 'é' });
    expect(textOfBody(Buffer.from([0xe9]))).toEqual({ body: 'é', encoding: 'latin1' });
  });

  it('is compressed if it is large', async () => {
    const reports = JSON.stringify(
      Array.from({ length: 20_000 }, (_, index) => ({ id: `wamid.${index}`, status: 'delivered' })),
    );
    const packed = await packBody(Buffer.from(reports));
    expect(packed?.encoding).toBe('gzip');
    expect(packed?.body.length).toBeLessThan(reports.length / 4);
  });

  it('is refused if it is large and does not shrink', async () => {
    const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16));
    const body = cipher.update(Buffer.alloc(maxInboundBytes));
    expect(await packBody(body)).toBeUndefined();
  });

  it('is not restored beyond the largest limit of a provider', async () => {
    const body = gzipSync(Buffer.alloc(maxInboundBytes + 1)).toString('base64');
    await expect(unpackBody({ body, encoding: 'gzip' })).rejects.toThrow();
  });
});
