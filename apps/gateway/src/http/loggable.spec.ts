import { AppError, invalidRequest } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { loggablePath, loggableRefusal } from './loggable.js';

describe('what the access log tells', () => {
  it.each([
    ['/nope?phone=08031234567', '/nope'],
    ['/sms/snd/', '/sms/snd'],
    ['/otps/08031234567', '/otps/080*****567'],
    ['/otps/%2B2348031234567', '/otps/+234*******567'],
    ['/otps/%252B2348031234567', '/otps/%2B234*******567'],
    ['/otps/0803%20123%204567', '/otps/080*******567'],
    ['/otp/verfy/735196', '/otp/verfy/******'],
    [`/${'x'.repeat(200)}`, `/${'x'.repeat(99)}…`],
    ['/%zz08031234567', undefined],
  ])('of the path %s is %s', (url, path) => {
    expect(loggablePath(url)).toBe(path);
  });

  it('of a refusal are its type and the names of fields', () => {
    const fault = (field: string) => ({ field, message: '08031234567 is no number', type: 'phone' });
    expect(loggableRefusal(invalidRequest([fault('phone'), fault('to.0'), fault('a secret')]))).toEqual({
      type: 'invalid_request',
      fields: ['phone', 'to.0'],
    });
    expect(loggableRefusal(invalidRequest([fault('a.0.08031234567'), fault('x_735196')]))).toMatchObject({
      fields: ['a.0.0*******567', 'x_******'],
    });
    expect(loggableRefusal(new AppError('bad_key', 401, 'No'))).toEqual({ type: 'bad_key' });
    expect(loggableRefusal(invalidRequest(Array.from({ length: 100 }, () => fault('phone'))))).toMatchObject({
      fields: { length: 20 },
    });
  });
});
