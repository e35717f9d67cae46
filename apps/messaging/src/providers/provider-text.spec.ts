import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SubmitResult } from './message-provider.js';
import { cleanResult, cleanReason, cleanReference } from './provider-text.js';

const anything = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 600 });
const isStorable = (text: string): boolean => !/[\p{Cc}\p{Cs}]/u.test(text);

describe('text from a provider', () => {
  it('can always be stored after cleaning', () => {
    fc.assert(
      fc.property(anything, anything, (one, other) => {
        const { code, message } = cleanReason({ code: one, message: other });
        const reference = cleanReference(one) ?? 'none';
        expect([code, message, reference].every(isStorable)).toBe(true);
        expect([code.length > 0, code.length <= 64, message.length <= 500]).toEqual([true, true, true]);
        expect(reference.length).toBeLessThanOrEqual(255);
      }),
    );
  });

  it('is unchanged if it can be stored', () => {
    expect(cleanReason({ code: 'E-12', message: 'Número inválido 😀' })).toEqual({
      code: 'E-12',
      message: 'Número inválido 😀',
    });
    expect(cleanReference('SM123')).toBe('SM123');
    expect(cleanReference('')).toBeUndefined();
  });

  it('keeps references distinct that are replaced by digests', () => {
    const long = 'x'.repeat(1_000);
    expect(cleanReference(`${long}1`)).toBe(cleanReference(`${long}1`));
    expect(cleanReference(`${long}1`)).not.toBe(cleanReference(`${long}2`));
    expect(cleanReference('a\0')).not.toBe(cleanReference('a'));
  });

  it('does not change when a provider may take the message', () => {
    const reason = { code: 'quiet_hours', message: 'Later' };
    const later = { kind: 'transient', cause: 'quiet', retryInMs: 6_000, retryAfterMs: 5, reason } as const;
    expect(cleanResult(later)).toEqual(later);
  });

  it('counts as unknown if the kind is invalid', () => {
    expect(cleanResult({ kind: 'splendid' } as unknown as SubmitResult)).toEqual({ kind: 'unknown' });
  });
});
