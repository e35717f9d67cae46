import { describe, expect, it } from '@jest/globals';
import { inheritedBy } from './secret-readers.js';

describe('inheritedBy', () => {
  it('gives a secret, or its file, only to the apps that read it', () => {
    const env = { HOME: '/home/x', OTP_PEPPER: 'p', LOOKUP_PROVIDER_SECRET_FILE: '/run/s', DATA_KEY: 'k' };
    const { HOME, OTP_PEPPER, LOOKUP_PROVIDER_SECRET_FILE, DATA_KEY } = env;
    expect(inheritedBy('otp', env)).toEqual({ HOME, OTP_PEPPER, DATA_KEY });
    expect(inheritedBy('lookup', env)).toEqual({ HOME, LOOKUP_PROVIDER_SECRET_FILE, DATA_KEY });
    expect(inheritedBy('gateway', env)).toEqual({ HOME });
  });
});
