import { defineEvent, defineRequest } from '@gangan/protocol';
import { newSealingKey } from '@gangan/sealing';
import { describe, expect, it } from '@jest/globals';
import { compareKeys, deriveQueueKeys } from './needed-keys.js';
import { AppKeys } from './queue-keys.js';

const request = { deadlineMs: 1, request: Object, reply: Object };
const contracts = [
  defineRequest({ ...request, queue: 'otp', name: 'otp.request' }),
  defineRequest({ ...request, queue: 'otp', name: 'otp.find' }),
  defineEvent({ queue: 'otp', name: 'otp.ended', event: Object, senders: ['messaging'] }),
  defineEvent({ queue: 'delivery', name: 'due', event: Object, senders: ['otp'], servedBy: 'messaging' }),
];
const master = newSealingKey();

const namesOf = (app: string): string[] | undefined =>
  AppKeys.parse(deriveQueueKeys([master], app, contracts))?.names;

describe('the keys of an app', () => {
  it('are those of the lanes that it sends to and of the senders that it serves, and no others', () => {
    expect(namesOf('otp')).toEqual(['gateway/otp', 'messaging/otp-events', 'otp/delivery-events']);
    expect(namesOf('messaging')).toEqual(['messaging/otp-events', 'otp/delivery-events']);
  });

  it('include one for what it stores if it serves no lane', () => {
    expect(namesOf('gateway')).toEqual(['gateway/otp', 'gateway/storage']);
  });

  it('are compared with those that a version needs', () => {
    const earlier = AppKeys.parse(deriveQueueKeys([master], 'otp', contracts.slice(0, 3)));
    const later = contracts.slice(2);
    expect(earlier && compareKeys(earlier, 'otp', later)).toEqual({
      missing: ['otp/delivery-events'],
      unneeded: ['gateway/otp'],
    });
  });
});
