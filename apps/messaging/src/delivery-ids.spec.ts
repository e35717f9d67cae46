import { isId, newId, timeOfId } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { deliveryIdsOf } from './delivery-ids.js';

describe('the ids of deliveries', () => {
  const message = newId();
  const ids = deliveryIdsOf(message, 1_000);

  it('follow from the message, each its own, in the order of time and recipients', () => {
    expect(deliveryIdsOf(message.toUpperCase(), 1_000)).toEqual(ids);
    expect(new Set([...ids, message]).size).toBe(1_001);
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) {
      expect(isId(id)).toBe(true);
      expect(id).toMatch(/^.{14}7.{4}[89ab]/);
    }
    expect(timeOfId(ids[999] ?? '')).toEqual(timeOfId(message));
  });

  it('are not those of another message', () => {
    const others = new Set(deliveryIdsOf(newId(), 1_000));
    expect(ids.some((id) => others.has(id))).toBe(false);
  });
});
