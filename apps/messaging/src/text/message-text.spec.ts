import { work } from '@gangan/protocol';
import { RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { MessagingConfig } from '../messaging.config.js';
import { type MessageContent, MessageTexts } from './message-text.js';

const texts = new MessageTexts(
  new RuntimeConfig({ PUBLIC_URL: 'https://sms.example' }),
  new MessagingConfig({}),
);
const plain: MessageContent = {
  content: 'Hello {{name}}',
  personalisation: null,
  templateProviderName: null,
  templateLanguage: null,
  templateVariables: [],
};
const ada = { recipient: '+2348031234567', recipientGiven: '0803 123 4567' };
const personalisation = [
  { to: '+234 803 123 4568', substitutions: { name: 'Bola' } },
  { to: '+2348031234567', substitutions: { name: 'Ada {{name}}' } },
];

describe('the text of a recipient', () => {
  it('is the given content if there is no template', () => {
    expect(texts.textFor(plain, ada)).toEqual({ text: 'Hello {{name}}' });
  });

  it('has the values of its recipient, with any spelling of the number', () => {
    const message = { ...plain, personalisation };
    expect(texts.textFor(message, ada)).toEqual({ text: 'Hello Ada {{name}}' });
    const spelt = { recipient: '+2348031234568', recipientGiven: '+234 803 123 4568' };
    expect(texts.textFor(message, spelt)).toEqual({ text: 'Hello Bola' });
  });

  it('is built without reading numbers again, if they are stored', () => {
    const stored = personalisation.map((item) => ({ ...item, recipient: item.to.replaceAll(' ', '') }));
    const before = work.phonesRead;
    const message = { ...plain, personalisation: stored };
    expect(texts.textFor(message, { ...ada, recipient: '+2348031234568' })).toEqual({ text: 'Hello Bola' });
    expect(work.phonesRead - before).toBe(0);
  });

  it('has short links instead of the links of the filled text', () => {
    const message = {
      ...plain,
      content: 'https://a.example {{name}}.',
      personalisation: [{ to: ada.recipientGiven, substitutions: { name: 'http://b.example' } }],
    };
    expect(texts.linksFor(message, { name: 'http://b.example' })).toEqual([
      'https://a.example',
      'http://b.example',
    ]);
    expect(texts.textFor(message, ada, ['x', 'y'])).toEqual({
      text: 'https://sms.example/l/x https://sms.example/l/y.',
    });
  });

  it('consists of the values in the order of the carrier, with short links, for a template of the carrier', () => {
    const message: MessageContent = {
      content: 'https://fixed.example: {{a}}, {{b}}',
      personalisation: [
        { to: ada.recipient, substitutions: { a: 'see https://a.example', b: 'https://b.example' } },
      ],
      templateProviderName: 'welcome',
      templateLanguage: 'en',
      templateVariables: ['b', 'a'],
    };
    expect(texts.textFor(message, ada, ['x', 'y'])).toEqual({
      text: 'https://fixed.example: see https://sms.example/l/y, https://sms.example/l/x',
      template: {
        name: 'welcome',
        language: 'en',
        values: ['https://sms.example/l/x', 'see https://sms.example/l/y'],
      },
    });
  });
});
