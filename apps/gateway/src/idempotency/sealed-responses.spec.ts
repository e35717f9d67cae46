import { newSealingKey } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { SealedResponses } from './sealed-responses.js';

const scope = { organisationId: 'o1', method: 'POST', path: '/sms/send', key: 'k' };

describe('SealedResponses', () => {
  const [older, newer] = [newSealingKey(), newSealingKey()];
  const body = Buffer.from([0x7b, 0xff, 0x00, 0x7d]);

  it('returns the same bytes, also while the key is replaced', () => {
    const sealed = new SealedResponses([older], true).seal(body, scope);
    expect(new SealedResponses([newer, older], false).open(sealed, scope)).toEqual(body);
    expect(() => new SealedResponses([newer], true).open(sealed, scope)).toThrow('QUEUE_KEY');
  });

  it('opens a response only for its key and organisation', () => {
    const responses = new SealedResponses([older], true);
    const sealed = responses.seal(body, scope);
    for (const other of [{ organisationId: 'o2' }, { method: 'PATCH' }, { path: '/x' }, { key: 'l' }])
      expect(() => responses.open(sealed, { ...scope, ...other })).toThrow();
  });
});
