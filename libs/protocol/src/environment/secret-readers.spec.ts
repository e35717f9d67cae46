import { describe, expect, it } from '@jest/globals';
import { inheritedBy, nameInEnvironment } from './secret-readers.js';

describe('inheritedBy', () => {
  it('gives a secret, or its file, only to the apps that read it', () => {
    const env = {
      HOME: '/home/x',
      OTP_PEPPER: 'p',
      LOOKUP_PROVIDER_SECRET_FILE: '/run/s',
      DATA_KEYS: 'k',
      BACKUP_KEY: 'b',
    };
    const { HOME, OTP_PEPPER, LOOKUP_PROVIDER_SECRET_FILE, DATA_KEYS } = env;
    expect(inheritedBy('otp', env)).toEqual({ HOME, OTP_PEPPER, DATA_KEYS });
    expect(inheritedBy('lookup', env)).toEqual({ HOME, LOOKUP_PROVIDER_SECRET_FILE, DATA_KEYS });
    expect(inheritedBy('gateway', env)).toEqual({ HOME });
  });

  it('replaces a variable by the one that names the app, and hides those of other apps', () => {
    const env = { LOG_LEVEL: 'info', OTP__LOG_LEVEL: 'debug', LOOKUP__LOG_LEVEL: ' ', OTP__OTP_PEPPER: 'p' };
    expect(inheritedBy('otp', env)).toEqual({ LOG_LEVEL: 'debug', OTP_PEPPER: 'p' });
    expect(inheritedBy('lookup', env)).toEqual({ LOG_LEVEL: 'info' });
    expect(inheritedBy('contacts', { CONTACTS__OTP_PEPPER: 'p' })).toEqual({});
  });

  it('replaces a value by a file, and a file by a value', () => {
    expect(inheritedBy('otp', { DATABASE_URL: 'a', OTP__DATABASE_URL_FILE: '/b' })).toEqual({
      DATABASE_URL_FILE: '/b',
    });
    expect(inheritedBy('otp', { DATABASE_URL_FILE: '/a', OTP__DATABASE_URL: 'b' })).toEqual({
      DATABASE_URL: 'b',
    });
  });
});

describe('nameInEnvironment', () => {
  it.each([
    ['shared by all apps', { DATABASE_URL: 'a', LOOKUP__DATABASE_URL: 'b' }, 'DATABASE_URL'],
    ['set for the app', { DATABASE_URL: 'a', OTP__DATABASE_URL: 'b' }, 'OTP__DATABASE_URL'],
    ['set for the app as a file', { DATABASE_URL: 'a', OTP__DATABASE_URL_FILE: '/b' }, 'OTP__DATABASE_URL'],
    ['missing', {}, 'DATABASE_URL'],
    ['missing while another app has its own', { LOOKUP__DATABASE_URL: 'b' }, 'OTP__DATABASE_URL'],
  ])('names a variable that is %s', (_, environment, name) => {
    expect(nameInEnvironment('otp', 'DATABASE_URL', environment)).toBe(name);
  });
});
