import { isId, newId } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { deliveryIdFor, deliveryIdRange } from './recipient-ids.js';

describe('the id of a delivery to a number', () => {
  const message = newId();
  const ids = Array.from({ length: 10_000 }, (_, place) =>
    deliveryIdFor(message, `+234${8_030_000_000 + place}`),
  );

  it('is one of its own, within the range of its message', () => {
    const { first, last } = deliveryIdRange(message);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => isId(id) && id >= first && id <= last)).toHaveLength(ids.length);
  });

  it('follows from both, and from nothing else', () => {
    expect(deliveryIdFor(message.toUpperCase(), '+2348030000000')).toBe(ids[0]);
    expect(deliveryIdFor(newId(), '+2348030000000')).not.toBe(ids[0]);
  });
});
