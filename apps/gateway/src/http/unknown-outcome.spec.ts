import { outcomeUnknown, unavailable } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { inWordsFor } from './unknown-outcome.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

describe('an unknown outcome', () => {
  it.each([
    ['GET', 'No answer came in time', 'Ask again'],
    ['HEAD', 'No answer came in time', 'Ask again'],
    [
      'DELETE',
      'No answer came in time; the request may still be carried out',
      expect.stringContaining('again'),
    ],
  ])('of a %s creates nothing, and needs no key to be tried again', (method, message, advice) => {
    const cause = new Error('silence');
    const error = inWordsFor(method, outcomeUnknown(id, cause));
    expect(error).toMatchObject({ code: 'outcome_unknown', status: 503, message, retryAfter: 1, cause });
    expect(error.fields).toEqual([{ field: 'service', message: advice, type: 'outcome_unknown' }]);
    expect(JSON.stringify(error.serialize())).not.toMatch(/Idempotency|creates|019a/);
  });

  it('of a POST has an id, and other errors have their own words', () => {
    const [unknown, away] = [outcomeUnknown(id), unavailable()];
    expect(inWordsFor('POST', unknown)).toBe(unknown);
    expect(inWordsFor('GET', away)).toBe(away);
  });
});
