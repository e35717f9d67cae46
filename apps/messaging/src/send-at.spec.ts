import { formatTimestamp } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isScheduled, readSendAt } from './send-at.js';

const createdAt = new Date('2026-11-17T12:00:00.000Z');
const [minute, day] = [60_000, 86_400_000];
const after = (ms: number): Date => new Date(createdAt.getTime() + ms);
const read = (ms: number) => readSendAt(formatTimestamp(after(ms)), createdAt);

describe('send_at', () => {
  it('is undefined if it is absent', () => {
    expect(readSendAt(undefined, createdAt)).toEqual({ sendAt: null, faults: [] });
    expect(isScheduled({ sendAt: null, createdAt })).toBe(false);
  });

  it('is accepted from 5 minutes ago to 90 days ahead, in any offset', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5 * minute, max: 90 * day }), (ms) => {
        const { sendAt, faults } = read(ms);
        expect(faults).toEqual([]);
        expect(sendAt).toEqual(after(ms));
        expect(isScheduled({ sendAt, createdAt })).toBe(ms > 0);
      }),
    );
    expect(readSendAt('2026-11-17T14:30:00+02:00', createdAt).sendAt).toEqual(after(30 * minute));
  });

  it.each([
    [-5 * minute - 1, 'send_at is more than 5 minutes ago: omit it to send the message at once'],
    [90 * day + 1, 'send_at is more than 90 days ahead: choose an earlier time'],
  ])('is rejected %d ms after the request', (ms, message) => {
    expect(read(ms)).toEqual({ sendAt: null, faults: [{ field: 'send_at', message, type: 'date' }] });
  });
});
