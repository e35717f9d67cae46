import { keyScopes } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { scopes } from './arguments.js';

describe('scopes on the command line', () => {
  it.each([
    ['lookup:read', ['lookup:read']],
    ['sms', ['sms:read', 'sms:write']],
    ['billing', ['billing:read']],
    ['otp:write, sms:read,otp:write', ['sms:read', 'otp:write']],
    [keyScopes.join(','), [...keyScopes]],
    ['all', [...keyScopes]],
  ])('%s', (text, meant) => {
    expect(scopes(text)).toEqual(meant);
  });

  it.each(['', 'sms,', 'all,sms', 'ALL', 'mms', 'sms:delete', 'billing:write', 's', 'SMS', ':read'])(
    'refuse "%s"',
    (text) => {
      expect(() => scopes(text)).toThrow(/is not a scope.*lookup:read/);
    },
  );
});
