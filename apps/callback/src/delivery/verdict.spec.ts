import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { failed, type FailureReason } from '../guarded/outcome.js';
import { pausesMs } from './schedule.js';
import { type Attempted, judge } from './verdict.js';

const now = new Date('2026-11-15T09:30:00Z');
const answered = (status: number, retryAfter?: string): Attempted => ({
  outcome: 'answered',
  status,
  headers: retryAfter === undefined ? {} : { retryAfter },
  answer: Buffer.alloc(0),
});
const last = pausesMs.length;

describe('an attempt', () => {
  it('delivers with any 2xx', () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 299 }), fc.integer({ min: 1, max: 20 }), (status, attempts) => {
        expect(judge(answered(status), attempts, now)).toEqual({ state: 'delivered', hostWorks: true });
      }),
    );
  });

  it('ends with 410', () => {
    expect(judge(answered(410), 1, now)).toEqual({ state: 'gone', hostWorks: true });
  });

  it('is repeated with every other status, until the last', () => {
    const others = fc
      .integer({ min: 100, max: 999 })
      .filter((status) => status !== 410 && ~~(status / 100) !== 2);
    fc.assert(
      fc.property(others, fc.integer({ min: 1, max: last + 3 }), (status, attempts) => {
        const { state, pauseMs } = judge(answered(status), attempts, now);
        expect(state).toBe(attempts < last ? 'pending' : 'failed');
        expect(pauseMs === undefined).toBe(attempts >= last);
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
  ])('with %d says that the host works: %s', (status, works) => {
    expect(judge(answered(status), 1, now).hostWorks).toBe(works);
  });

  it.each<FailureReason>(['dns', 'connect', 'tls', 'timeout', 'reset', 'refused_address'])(
    'that ends with %s is repeated, and the host does not work',
    (reason) => {
      expect(judge(failed(reason), 1, now)).toMatchObject({ state: 'pending', hostWorks: false });
    },
  );

  it('that could not be made by our own fault is repeated, and the host is not to blame', () => {
    expect(judge({ outcome: 'failed', reason: 'unsent' }, 1, now)).toMatchObject({
      state: 'pending',
      hostWorks: true,
    });
  });

  it.each([
    ['8', 8_000],
    ['86400', 10_000],
    ['Sun, 15 Nov 2026 09:30:09 GMT', 9_000],
  ])('with Retry-After: %s is repeated after %d ms', (retryAfter, ms) => {
    expect(judge(answered(429, retryAfter), 1, now).pauseMs).toBe(ms);
    expect(judge(answered(503, retryAfter), 1, now).pauseMs).toBe(ms);
  });

  it('with a Retry-After that cannot be understood is repeated as planned', () => {
    const { pauseMs = NaN } = judge(answered(429, 'soon'), 1, now);
    expect(pauseMs).toBeGreaterThanOrEqual(4_000);
    expect(pauseMs).toBeLessThanOrEqual(6_000);
  });
});
