import { newId } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { purchaseIdOf, submissionReference, vtpassReference } from './references.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

describe('our references', () => {
  it('contain the id of the purchase', () => {
    for (const one of [id, newId(), newId()]) {
      const now = new Date();
      for (const reference of [one, submissionReference(one, now), vtpassReference(one, now)])
        expect(purchaseIdOf(reference)).toBe(one);
    }
  });

  it('of earlier versions are read', () => {
    const digits = BigInt(`0x${id.replaceAll('-', '')}`).toString(36);
    expect(purchaseIdOf(`202701010030${digits}`)).toBe(id);
  });

  it('begin with Lagos time for VTpass, and differ between submissions and purchases', () => {
    const at = new Date('2026-12-31T23:30:59Z');
    expect(vtpassReference(id, at)).toMatch(/^20270101003059[0-9a-z]{24}$/);
    const later = new Date(at.getTime() + 1_000);
    for (const make of [vtpassReference, submissionReference]) {
      expect(make(id, later)).not.toBe(make(id, at));
      expect(make(id.replace(/2$/, '3'), at)).not.toBe(make(id, at));
    }
  });

  it.each(['', 'x', '4602843', 'ATQid_5389c866eb760cba818893cb8f068c93', '202701010030abc', 'z'.repeat(36)])(
    'are not read from %j',
    (reference) => {
      expect(purchaseIdOf(reference)).toBeUndefined();
    },
  );
});
