import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Answer } from './message-provider.js';
import { cleanAnswer, cleanReason, cleanReference } from './provider-text.js';

const anything = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 600 });
const isFit = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

describe("a provider's words", () => {
  it('can be written down, whatever they are', () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        const { code, message } = cleanReason({ code: one, message: other });
        const reference = cleanReference(one) ?? 'none';
        expect([code, message, reference].every(isFit)).toBe(true);
        expect([code.length > 0, code.length <= 64, message.length <= 500]).toEqual([true, true, true]);
        expect(reference.length).toBeLessThanOrEqual(255);
      }),
    );
  });

  it('stay as they are where they can', () => {
    expect(cleanReason({ code: 'E-12', message: 'Número inválido 😀' })).toEqual({
      ...{ code: 'E-12', message: 'Número inválido 😀' },
    });
    expect(cleanReference('SM123')).toBe('SM123');
    expect(cleanReference('')).toBeUndefined();
  });

  it('name the same message by the same reference, and another by another', () => {
    const long = 'x'.repeat(1_000);
    expect(cleanReference(`${long}1`)).toBe(cleanReference(`${long}1`));
    expect(cleanReference(`${long}1`)).not.toBe(cleanReference(`${long}2`));
    expect(cleanReference('a\0')).not.toBe(cleanReference('a'));
  });

  it('mean nothing when they are none that were agreed upon', () => {
    expect(cleanAnswer({ kind: 'splendid' } as unknown as Answer)).toEqual({ kind: 'unknown' });
  });
});
