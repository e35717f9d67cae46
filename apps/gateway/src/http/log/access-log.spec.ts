import { AppError, fieldError, invalidRequest } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { loggableError, loggablePath } from './access-log.js';

describe('the access log', () => {
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
  ])('shows the path %s as %s', (url, path) => {
    expect(loggablePath(url)).toBe(path);
  });

  it('shows the type of an error and the names of its fields', () => {
    const fault = (field: string) => fieldError(field, '08031234567 is no number', 'phone');
    expect(loggableError(invalidRequest([fault('phone'), fault('to.0'), fault('a secret')]))).toEqual({
      type: 'invalid_request',
      fields: ['phone', 'to.0'],
    });
    expect(loggableError(invalidRequest([fault('a.0.08031234567'), fault('x_735196')]))).toMatchObject({
      fields: ['a.0.0*******567', 'x_******'],
    });
    expect(loggableError(new AppError('bad_key', 401, 'No'))).toEqual({ type: 'bad_key' });
    expect(loggableError(invalidRequest(Array.from({ length: 100 }, () => fault('phone'))))).toMatchObject({
      fields: { length: 20 },
    });
  });
});
