import { outcomeUnknown, unavailable } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { rewordUnknownOutcome } from './error.filter.js';

const id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';

describe('the error filter', () => {
  it.each([
    ['GET', 'No response arrived in time', 'Send the request again'],
    ['HEAD', 'No response arrived in time', 'Send the request again'],
    [
      'DELETE',
      'No response arrived in time; the request may still be carried out',
      expect.stringContaining('again'),
    ],
  ])('mentions neither an id nor a key in the unknown outcome of a %s', (method, message, advice) => {
    const cause = new Error('timeout');
    const error = rewordUnknownOutcome(method, outcomeUnknown(id, cause));
    expect(error).toMatchObject({ code: 'outcome_unknown', status: 503, message, retryAfter: 1, cause });
    expect(error.fields).toEqual([{ field: 'service', message: advice, type: 'outcome_unknown' }]);
    expect(JSON.stringify(error.serialize())).not.toMatch(/Idempotency|creates|019a/);
  });

  it('leaves the unknown outcome of a POST and other errors unchanged', () => {
    const [unknown, away] = [outcomeUnknown(id), unavailable()];
    expect(rewordUnknownOutcome('POST', unknown)).toBe(unknown);
    expect(rewordUnknownOutcome('GET', away)).toBe(away);
  });
});
