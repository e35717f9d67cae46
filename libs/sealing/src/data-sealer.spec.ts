import { describe, expect, it } from '@jest/globals';
import { DataSealer, type SealedPlace } from './data-sealer.js';
import { newSealingKey } from './sealing-keys.js';

const place: SealedPlace = { column: 'callback_secret.sealed_secret', organisationId: 'o1', id: 'r1' };

describe('DataSealer', () => {
  const key = newSealingKey();

  it('opens a text only at the place that it was sealed for', () => {
    const sealer = new DataSealer([key]);
    const sealed = sealer.seal('whsec_x', place);
    expect(sealer.open(sealed, place)).toBe('whsec_x');
    for (const other of [{ column: 'delivery.sealed_body' }, { organisationId: 'o2' }, { id: 'r2' }] as const)
      expect(() => sealer.open(sealed, { ...place, ...other })).toThrow();
  });

  it('marks a text with the key that sealed it', () => {
    const next = newSealingKey();
    const [old, rotated] = [new DataSealer([key]), new DataSealer([next, key])];
    const begins = (sealed: Buffer): Buffer => sealed.subarray(0, old.sealingId.length);
    expect(begins(old.seal('x', place))).toEqual(old.sealingId);
    expect(begins(rotated.seal('x', place))).toEqual(rotated.sealingId);
    expect(rotated.openableIds).toEqual([rotated.sealingId, old.sealingId]);
    expect(() => new DataSealer([next]).open(old.seal('x', place), place)).toThrow('DATA_KEY');
  });
});
