import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { newSealingKey } from './sealing-keys.js';
import { TextSealer } from './text-sealer.js';

const sealerWith = (...keys: readonly string[]): TextSealer =>
  new TextSealer(keys, { variable: 'QUEUE_KEY', use: 'test' });

describe('TextSealer', () => {
  const key = newSealingKey();

  it('returns any text to another process with the key', () => {
    const [here, there] = [sealerWith(key), sealerWith(key)];
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, bound) => {
        expect(there.open(here.seal(text, bound), bound)).toBe(text);
      }),
    );
  });

  it('never seals the same text to the same bytes, and shows nothing of it', () => {
    const sealer = sealerWith(key);
    const sealed = Array.from({ length: 100 }, () => sealer.seal('the same secret', 'x').toString('latin1'));
    expect(new Set(sealed).size).toBe(100);
    expect(sealed.join()).not.toContain('secret');
  });

  it('rejects a text that was altered, cut or sealed for another place', () => {
    const sealer = sealerWith(key);
    const sealed = sealer.seal('Your code is 1234', 'delivery 1');
    expect(() => sealer.open(sealed, 'delivery 2')).toThrow();
    expect(() => sealer.open(sealed.subarray(0, 20), 'delivery 1')).toThrow('too short');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const altered = Buffer.from(sealed);
        altered.writeUInt8(altered.readUInt8(at) ^ flip, at);
        expect(() => sealer.open(altered, 'delivery 1')).toThrow();
      }),
    );
  });

  it('opens with either key while one is being replaced, and names QUEUE_KEY when it has neither', () => {
    const next = newSealingKey();
    const old = sealerWith(key).seal('old', '');
    expect(sealerWith(next, key).open(old, '')).toBe('old');
    expect(sealerWith(key, next).open(old, '')).toBe('old');
    expect(() => sealerWith(next).open(old, '')).toThrow('QUEUE_KEY');
  });

  it('does not open a text that the same key sealed for another use', () => {
    const other = new TextSealer([key], { variable: 'DATA_KEYS', use: 'other' });
    expect(() => other.open(sealerWith(key).seal('x', ''), '')).toThrow('DATA_KEYS');
  });

  it('accepts only keys of 32 bytes', () => {
    expect(() => sealerWith('c2hvcnQ=')).toThrow('32 bytes');
    expect(() => sealerWith()).toThrow('32 bytes');
  });
});
