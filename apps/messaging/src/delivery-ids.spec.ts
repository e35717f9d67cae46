import { isId, newId, timeOfId } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { deliveryIdFor, deliveryIdRange, deliveryIdsOf } from './delivery-ids.js';

describe('the ids of deliveries', () => {
  const message = newId();
  const ids = deliveryIdsOf(message, 1_000);

  it('are derived from the message, unique, and in the order of time and recipients', () => {
    expect(deliveryIdsOf(message.toUpperCase(), 1_000)).toEqual(ids);
    expect(new Set([...ids, message]).size).toBe(1_001);
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) {
      expect(isId(id)).toBe(true);
      expect(id).toMatch(/^.{14}7.{4}[89ab]/);
    }
    expect(timeOfId(ids[999] ?? '')).toEqual(timeOfId(message));
  });

  it('differ between messages', () => {
    const others = new Set(deliveryIdsOf(newId(), 1_000));
    expect(ids.some((id) => others.has(id))).toBe(false);
  });
});

describe('the id of a delivery to a number', () => {
  const message = newId();
  const ids = Array.from({ length: 10_000 }, (_, index) =>
    deliveryIdFor(message, `+234${8_030_000_000 + index}`),
  );

  it('is unique, and within the range of its message', () => {
    const { first, last } = deliveryIdRange(message);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => isId(id) && id >= first && id <= last)).toHaveLength(ids.length);
  });

  it('depends only on the message and the number', () => {
    expect(deliveryIdFor(message.toUpperCase(), '+2348030000000')).toBe(ids[0]);
    expect(deliveryIdFor(newId(), '+2348030000000')).not.toBe(ids[0]);
  });
});
