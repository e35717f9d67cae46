import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { inboundBody } from './inbound-body.js';

const restored = (bytes: Buffer): Buffer => {
  const { body, encoding = 'utf8' } = inboundBody(bytes);
  return Buffer.from(body, encoding);
};

describe('the stored body', () => {
  it('keeps every byte that arrived', () => {
    const texts = fc.string({ unit: 'binary' }).map((text) => Buffer.from(text));
    const bytes = fc.uint8Array().map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.oneof(texts, bytes), (body) => {
        expect(restored(body)).toEqual(body);
      }),
      { seed: 1 },
    );
    const byteOrderMark = Buffer.from('\uFEFF{}');
    expect(restored(byteOrderMark)).toEqual(byteOrderMark);
  });

  it('is text in UTF-8, or else in Latin-1', () => {
    expect(inboundBody(Buffer.from('é'))).toEqual({ body: 'é' });
    expect(inboundBody(Buffer.from([0xe9]))).toEqual({ body: 'é', encoding: 'latin1' });
  });
});
