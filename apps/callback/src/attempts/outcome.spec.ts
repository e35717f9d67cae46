import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failed, type FailureReason } from '@gangan/http-client';
import { type AttemptResult, decideOutcome, retryDelaysMs } from './outcome.js';

const now = new Date('2026-11-15T09:30:00Z');
const answered = (status: number, retryAfter?: string): AttemptResult => ({
  outcome: 'answered',
  status,
  retryAfter,
  body: Buffer.alloc(0),
});
const last = retryDelaysMs.length + 1;

describe('an attempt', () => {
  it('delivers with any 2xx', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 299 }), fc.integer({ min: 1, max: 20 }), (status, attempts) => {
        expect(decideOutcome(answered(status), attempts, now)).toEqual({
          state: 'delivered',
          hostWorks: true,
        });
      }),
    );
  });

  it('ends the callback with 410', () => {
    expect(decideOutcome(answered(410), 1, now)).toEqual({ state: 'gone', hostWorks: true });
  });

  it('is repeated with every other status, up to the last attempt', () => {
    const others = fc
      .integer({ min: 100, max: 999 })
      .filter((status) => status !== 410 && ~~(status / 100) !== 2);
    fc.assert(
      fc.property(others, fc.integer({ min: 1, max: last + 3 }), (status, attempts) => {
        const { state, retryInMs } = decideOutcome(answered(status), attempts, now);
        expect(state).toBe(attempts < last ? 'pending' : 'failed');
        expect(retryInMs === undefined).toBe(attempts >= last);
      }),
    );
  });

  it.each([
    [301, true],
    [404, true],
    [408, false],
    [425, false],
    [429, false],
    [500, false],
    [503, false],
  ])('with %d means that the host works: %s', (status, works) => {
    expect(decideOutcome(answered(status), 1, now).hostWorks).toBe(works);
  });

  it.each<FailureReason>(['dns', 'connect', 'tls', 'timeout', 'reset', 'refused_address'])(
    'that fails with %s is repeated, and the host does not work',
    (reason) => {
      expect(decideOutcome(failed(reason), 1, now)).toMatchObject({ state: 'pending', hostWorks: false });
    },
  );

  it('that fails in the worker is repeated, and the host works', () => {
    expect(decideOutcome({ outcome: 'failed', reason: 'unsent' }, 1, now)).toMatchObject({
      state: 'pending',
      hostWorks: true,
    });
  });

  it.each([
    ['8', 8_000],
    ['86400', 10_000],
    ['Sun, 15 Nov 2026 09:30:09 GMT', 9_000],
  ])('with Retry-After: %s is repeated after %d ms', (retryAfter, ms) => {
    expect(decideOutcome(answered(429, retryAfter), 1, now).retryInMs).toBe(ms);
    expect(decideOutcome(answered(503, retryAfter), 1, now).retryInMs).toBe(ms);
  });

  it('with an invalid Retry-After is repeated as planned', () => {
    const { retryInMs = NaN } = decideOutcome(answered(429, 'soon'), 1, now);
    expect(retryInMs).toBeGreaterThanOrEqual(4_000);
    expect(retryInMs).toBeLessThanOrEqual(6_000);
  });
});
