import { describe, expect, it } from '@jest/globals';
import { messagePresets } from '../../src/presets/presets.js';
import { readInbound } from '../../src/inbound/read-inbound.js';
import { formReport, jsonReport } from './describe-preset.js';

const at = new Date('2026-11-17T09:30:00Z');
const message = {
  channel: 'sms',
  from: '2348031234567',
  to: '2348001234567',
  type: 'text',
  text: 'Where is my order?',
  reference: 'a1',
  sentAt: at,
};
const { from, to, text } = message;

/** An incoming message of each preset, as its provider sends it. */
const requests = {
  africastalking: formReport({
    ...{ date: '2026-11-17 09:30:00', from, id: 'a1', linkId: 'link', text, to, networkCode: '62130' },
  }),
  infobip: jsonReport({
    results: [
      {
        ...{ messageId: 'a1', from, to, text, cleanText: text, keyword: '', smsCount: 1 },
        ...{ receivedAt: '2026-11-17T10:30:00.000+0100', price: { pricePerMessage: 0, currency: 'EUR' } },
      },
    ],
    messageCount: 1,
    pendingMessageCount: 0,
  }),
  plivo: formReport({ From: from, To: to, Type: 'sms', Text: text, MessageUUID: 'a1' }),
  termii: jsonReport({
    ...{ type: 'inbound', id: 'request', message_id: 'a1', receiver: to, sender: from, message: text },
    ...{ received_at: '2026-11-17T09:30:00Z', cost: '0', status: 'Received', channel: 'generic' },
  }),
  twilio: formReport({
    ...{ MessageSid: 'a1', SmsSid: 'a1', SmsMessageSid: 'a1', AccountSid: 'AC1', From: from, To: to },
    ...{ Body: text, NumMedia: '0', NumSegments: '1', SmsStatus: 'received', ApiVersion: '2010-04-01' },
  }),
  vonage: jsonReport({
    ...{ 'api-key': 'key', msisdn: from, to, messageId: 'a1', text, type: 'text', keyword: 'WHERE' },
    'message-timestamp': '2026-11-17 09:30:00',
  }),
};

describe('an incoming message', () => {
  it.each(Object.entries(messagePresets))('of %s is read', (name, { kind, settings }) => {
    const request = requests[name as keyof typeof requests];
    const sentAt = ['plivo', 'twilio'].includes(name) ? undefined : at;
    expect(readInbound({ kind, settings }, request)).toEqual({
      messages: [{ ...message, sentAt }],
      reports: [],
      faults: [],
    });
  });

  it('of Termii is distinguished from a report with a text', () => {
    const report = {
      ...{ type: 'outbound', message_id: 'b1', receiver: from, sender: 'Acme', message: text },
      status: 'Delivered',
    };
    const { kind = '', settings = {} } = messagePresets['termii'] ?? {};
    expect(readInbound({ kind, settings }, jsonReport(report))).toEqual({
      messages: [],
      reports: [{ providerReference: 'b1', state: 'delivered' }],
      faults: [],
    });
  });
});
