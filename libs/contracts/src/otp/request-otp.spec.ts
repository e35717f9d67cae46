import { describe, expect, it } from '@jest/globals';
import { validate } from '../validation/validate.js';
import { OtpsOfRecipientRequest, RequestOtpRequest, VerifyOtpRequest } from './otp.dto.js';

const recipient = '08031234567';

/** `field: type` of every fault. */
const faultsOf = (
  dto: typeof RequestOtpRequest | typeof VerifyOtpRequest | typeof OtpsOfRecipientRequest,
  fields: object,
): string[] => {
  const result = validate<object>(dto, fields);
  return result.ok ? [] : result.errors.map(({ field, type }) => `${field}: ${type}`);
};

describe('a request for an OTP', () => {
  it.each([
    [{}],
    [{ length: 4, expires_in: 1 }],
    [{ length: 8, expires_in: 60 }],
    [{ expires_in: 1.5 }],
    [{ token: '0000' }],
    [{ token: '0000', length: 99 }],
    [{ token: '0000', length: 'x' }],
    [{ token: 'aZ9~!"#[]{}|^\\`' }],
    [{ channel: 'whatsapp' }],
    [{ channel: 'whatsapp', fallback_channels: ['sms'] }],
    [{ fallback_channels: ['whatsapp'], fallback_after: 5 }],
    [{ fallback_channels: [] }],
    [{ fallback_channels: null, fallback_after: null }],
    [{ fallback_channels: ['whatsapp'], fallback_after: 29, expires_in: 1 }],
    [{ fallback_channels: ['whatsapp'], fallback_after: 239, expires_in: 5 }],
    [{ length: null, expires_in: null, token: null, channel: null }],
  ])('may be %j', (further) => {
    expect(faultsOf(RequestOtpRequest, { recipient, ...further })).toEqual([]);
  });

  it.each([
    [{ recipient: undefined }, 'recipient: missing'],
    [{ recipient: ' ' }, 'recipient: missing'],
    [{ recipient: 8031234567 }, 'recipient: string_type'],
    [{ recipient: 'abc' }, 'recipient: phone'],
    [{ recipient: '08031234567,08031234568' }, 'recipient: phone'],
    [{ recipient: '12345' }, 'recipient: phone'],
    [{ recipient: '+1234567890123456' }, 'recipient: phone'],
    [{ recipient: '08031234567;ext=1' }, 'recipient: phone'],
    [{ length: 3 }, 'length: greater_than_equal'],
    [{ length: 9 }, 'length: less_than_equal'],
    [{ length: 4.5 }, 'length: integer_type'],
    [{ length: '6' }, 'length: integer_type'],
    [{ expires_in: 0 }, 'expires_in: greater_than_equal'],
    [{ expires_in: 0.5 }, 'expires_in: greater_than_equal'],
    [{ expires_in: 61 }, 'expires_in: less_than_equal'],
    [{ expires_in: '15' }, 'expires_in: number_type'],
    [{ token: 'abc' }, 'token: string_too_short'],
    [{ token: '' }, 'token: string_too_short'],
    [{ token: 'x'.repeat(16) }, 'token: string_too_long'],
    [{ token: '🔑🔑🔑🔑' }, 'token: value_error'],
    [{ token: '12 34' }, 'token: value_error'],
    [{ token: '1234\n' }, 'token: value_error'],
    [{ token: 1234 }, 'token: string_type'],
    [{ channel: 'SMS' }, 'channel: enum'],
    [{ channel: 'voice' }, 'channel: enum'],
    [{ channel: ['sms'] }, 'channel: string_type'],
    [{ fallback_channels: 'sms' }, 'fallback_channels: list_type'],
    [{ fallback_channels: ['sms'] }, 'fallback_channels: value_error'],
    [{ channel: 'whatsapp', fallback_channels: ['whatsapp'] }, 'fallback_channels: value_error'],
    [{ channel: 'whatsapp', fallback_channels: ['sms', 'sms'] }, 'fallback_channels: value_error'],
    [{ fallback_channels: ['voice'] }, 'fallback_channels: enum'],
    [{ fallback_channels: ['whatsapp', 'sms', 'sms', 'sms'] }, 'fallback_channels: too_long'],
    [{ fallback_channels: ['whatsapp'], fallback_after: 4 }, 'fallback_after: greater_than_equal'],
    [{ fallback_channels: ['whatsapp'], fallback_after: 301 }, 'fallback_after: less_than_equal'],
    [{ fallback_channels: ['whatsapp'], fallback_after: 5.5 }, 'fallback_after: integer_type'],
    [{ fallback_channels: ['whatsapp'], fallback_after: '30' }, 'fallback_after: integer_type'],
    [{ fallback_channels: ['whatsapp'], fallback_after: 30, expires_in: 1 }, 'fallback_after: value_error'],
    [{ fallback_after: 30 }, 'fallback_after: value_error'],
    [{ fallback_channels: [], fallback_after: 30 }, 'fallback_after: value_error'],
  ])('may not be %j', (further, fault) => {
    expect(faultsOf(RequestOtpRequest, { recipient, ...further })).toEqual([fault]);
  });

  it('keeps a token as text', () => {
    expect(validate(RequestOtpRequest, { recipient, token: '0042' })).toMatchObject({
      value: { token: '0042' },
    });
  });
});

describe('a request to verify an OTP', () => {
  it('requires both fields, and reports both', () => {
    expect(faultsOf(VerifyOtpRequest, {})).toEqual(['id: missing', 'token: missing']);
    expect(faultsOf(VerifyOtpRequest, { id: 'x', token: 1234 })).toEqual(['token: string_type']);
    expect(faultsOf(VerifyOtpRequest, { id: 'x', token: '123' })).toEqual(['token: string_too_short']);
    expect(faultsOf(VerifyOtpRequest, { id: 'x', token: '1234' })).toEqual([]);
  });
});

describe('a request for the OTPs of a recipient', () => {
  it.each([
    [{ recipient }, []],
    [{ recipient, limit: 1 }, []],
    [{}, ['recipient: missing']],
    [{ recipient: [recipient, recipient] }, ['recipient: string_type']],
    [{ recipient, limit: 0 }, ['limit: greater_than_equal']],
  ])('%j', (fields, faults) => {
    expect(faultsOf(OtpsOfRecipientRequest, fields)).toEqual(faults);
  });
});
