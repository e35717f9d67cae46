import { describe, expect, it } from '@jest/globals';
import { paymentIdOf } from './items.js';

describe('the id of a payment', () => {
  it('is a UUID derived from the organisation and the reference', () => {
    const id = paymentIdOf('one', 'transfer 17');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(paymentIdOf('one', 'transfer 17')).toBe(id);
    expect(paymentIdOf('one', 'transfer 18')).not.toBe(id);
    expect(paymentIdOf('two', 'transfer 17')).not.toBe(id);
  });
});
