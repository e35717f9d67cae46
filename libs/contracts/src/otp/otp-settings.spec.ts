import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { getNumberType, isAllowedNumberType } from '../phone-number.js';
import { parseOtpSettings, otpTextError, renderOtpText } from './otp-settings.js';

describe('the text of an OTP', () => {
  it('is rendered once: a code is never expanded', () => {
    expect(
      renderOtpText('{{code}} ({{ minutes }} min) {{code}}', { code: '{{minutes}}', minutes: '5' }),
    ).toBe('{{minutes}} (5 min) {{minutes}}');
  });

  it('contains any code unchanged', () => {
    const code = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((unit) => String.fromCharCode(unit)),
    });
    fc.assert(
      fc.property(code, (given) => {
        expect(renderOtpText('<{{code}}>', { code: given, minutes: '1' })).toBe(`<${given}>`);
      }),
    );
  });

  it.each([
    ['Your code is {{code}}', undefined],
    ['{{code}}, {{minutes}} min', undefined],
    ['no code', 'must contain {{code}}'],
    ['{{code}} {{name}}', 'may contain {{code}} and {{minutes}}, not {{name}}'],
    [`{{code}}${'x'.repeat(480)}`, 'may have at most 480 characters'],
    ['{{code}}\0', 'may not contain NUL'],
  ])('%j: %s', (text, fault) => {
    expect(otpTextError(text)).toBe(fault);
  });
});

describe('the settings of an organisation', () => {
  it.each([
    [undefined, {}],
    [{}, {}],
    [{ text: '{{code}}', countries: ['NG'], number_types: ['mobile'] }, undefined],
  ])('may be %j', (given, read) => {
    expect(parseOtpSettings(given)).toMatchObject({ ok: true, value: read ?? given });
  });

  it.each([
    [{ text: 'no code' }, 'text'],
    [{ countries: ['Nigeria'] }, 'countries'],
    [{ countries: 'NG' }, 'countries'],
    [{ number_types: ['cell'] }, 'number_types'],
    [{ number_types: [] }, 'number_types'],
    [{ unknown: 1 }, 'unknown'],
    [{ Countries: ['NG'] }, 'Countries'],
    [{ countries: null }, 'countries'],
    [null, 'otp'],
    [['NG'], 'otp'],
    ['NG', 'otp'],
    [0, 'otp'],
    [false, 'otp'],
  ])('may not be %j', (given, field) => {
    expect(parseOtpSettings(given)).toMatchObject({ ok: false, errors: [{ field }] });
  });
});

describe('the type of a number', () => {
  it.each([
    ['+2348031234567', 'mobile'],
    ['+12015550123', 'fixed_line_or_mobile'],
    ['+442079460958', 'fixed_line'],
    ['+19005550123', 'premium_rate'],
  ])('%s is %s', (number, type) => {
    expect(getNumberType(number)).toBe(type);
  });

  it('is allowed if the numbering plan does not define it', () => {
    expect(isAllowedNumberType(['mobile'], 'fixed_line_or_mobile')).toBe(true);
    expect(isAllowedNumberType(['mobile'], 'fixed_line')).toBe(false);
    expect(isAllowedNumberType(['voip'], 'fixed_line_or_mobile')).toBe(false);
  });
});
