import { describe, expect, it } from '@jest/globals';
import { createMessage } from './otp-message.js';

const defaults = {
  OTP_TEXT: 'Your code is {{code}} for {{minutes}} min',
  OTP_TEMPLATE_NAME: 'verification_code',
  OTP_TEMPLATE_LANGUAGE: 'en',
};
const sms = { channel: 'sms', token: '0042', minutes: 1.5 } as const;

describe('the message of an OTP', () => {
  it('has the text of the organisation, or else the configured text', () => {
    expect(createMessage(sms, {}, defaults)).toEqual({
      body: { text: 'Your code is 0042 for 1.5 min' },
      pages: 1,
    });
    expect(createMessage(sms, { text: 'Acme: {{code}}' }, defaults).body).toEqual({ text: 'Acme: 0042' });
  });

  it('counts the pages of the text that is sent', () => {
    const text = `{{code}}${'x'.repeat(153)}`;
    expect(createMessage({ ...sms, token: '1234567' }, { text }, defaults).pages).toBe(1);
    expect(createMessage({ ...sms, token: '12345678' }, { text }, defaults).pages).toBe(2);
    // One character outside GSM-7 makes all of it UCS-2.
    expect(createMessage({ ...sms, token: '1234`' }, { text }, defaults).pages).toBe(3);
  });

  it('is a template of one page on WhatsApp', () => {
    const wish = { channel: 'whatsapp', token: '123456', minutes: 10 } as const;
    const settings = {
      text: `{{code}}${'x'.repeat(400)}`,
      template_name: 'acme_code',
      template_language: 'fr',
    };
    expect(createMessage(wish, {}, defaults).body.template).toEqual({
      name: 'verification_code',
      language: 'en',
      values: ['123456'],
      code: '123456',
    });
    expect(createMessage(wish, settings, defaults)).toMatchObject({
      body: { template: { name: 'acme_code', language: 'fr' } },
      pages: 1,
    });
  });
});
