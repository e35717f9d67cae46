import { systemClock } from '@gangan/contracts';
import { fakeAfricasTalking, type FakeMessage, FakeProvider, type FakeRefusal } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { HttpCaller } from '../../src/http/http-caller.js';
import { HttpClients } from '../../src/http/http-exchange.js';
import { africastalking } from '../../src/presets/africastalking.js';
import { describePreset, formReport, message } from './describe-preset.js';

const apiKey = 'atsk_"key/with+special&characters';

const clock = jest.spyOn(systemClock, 'now');
const setClock = (time: string): void => void clock.mockReturnValue(new Date(`2026-11-17T${time}+01:00`));
beforeAll(() => {
  setClock('12:00:00');
});
afterAll(() => {
  clock.mockRestore();
});

describePreset(africastalking, {
  script: fakeAfricasTalking(apiKey, 'acme'),
  secrets: { api_key: apiKey },
  form: { username: 'acme' },
  sent: ({ recipient, text }) => ({ to: recipient, from: 'Acme', text }),
  reference: /^ATXid_\d+$/,
  credit: { currency: 'KES', micros: 1_785_500_000n },
  cost: { currency: 'KES', micros: 800_000n },
  // The codes of the first page (13, of which 100 to 102 mean accepted), 409 of the second, and statuses of HTTP.
  refusal: (code) => ({ code }),
  tables: [{ title: 'a code of an accepted message', codes: '100 101 102', sent: ['accepted', undefined] }],
  refusals: [
    [{ code: '401' }, 'failed', 'rejected'],
    [{ code: '402' }, 'refused', 'invalid_sender'],
    [{ code: '403' }, 'failed', 'invalid_number'],
    [{ code: '404' }, 'failed', 'invalid_number'],
    [{ code: '405' }, 'account', 'provider_account'],
    [{ code: '406' }, 'failed', 'recipient_blocked'],
    [{ code: '407' }, 'refused', 'no_route'],
    [{ code: '409' }, 'failed', 'dnd'],
    [{ code: '500' }, 'transient', 'provider_unavailable'],
    [{ code: '501' }, 'transient', 'provider_unavailable'],
    [{ code: '502' }, 'transient', 'provider_unavailable'],
    [{ code: '499' }, 'refused', 'provider_error'],
    [{ code: 'InvalidSenderId' }, 'refused', 'invalid_sender'],
    [{ code: 'InsufficientBalance' }, 'account', 'provider_account'],
    [{ status: 400, code: 'Bad Request' }, 'refused', 'provider_error'],
    [{ status: 429, code: 'Too Many Requests' }, 'throttled', 'throttled'],
    [{ status: 500, code: 'Server Error' }, 'unknown', 'no_answer'],
  ],
  reports: {
    request: (status = '', failureReason = '') =>
      formReport({
        id: 'ATXid_1',
        status,
        phoneNumber: '+2348031234567',
        networkCode: '62130',
        retryCount: '0',
        ...(failureReason !== '' && { failureReason }),
      }),
    states: [
      [['Sent'], 'sent'],
      [['Submitted'], 'sent'],
      [['Buffered'], 'sent'],
      [['Success'], 'delivered'],
      [['Rejected'], 'undelivered', 'rejected'],
      [['Failed'], 'undelivered', 'provider_error'],
      [['AbsentSubscriber'], 'undelivered', 'unreachable'],
      [['Expired'], 'expired'],
      [['Failed', 'InsufficientCredit'], 'undelivered', 'provider_error'],
      [['Failed', 'InvalidLinkId'], 'undelivered', 'provider_error'],
      [['Failed', 'UserIsInactive'], 'undelivered', 'unreachable'],
      [['Rejected', 'UserInBlackList'], 'undelivered', 'recipient_blocked'],
      [['Failed', 'UserAccountSuspended'], 'undelivered', 'unreachable'],
      [['Failed', 'NotNetworkSubcriber'], 'undelivered', 'invalid_number'],
      [['Failed', 'UserNotSubscribedToProduct'], 'undelivered', 'provider_error'],
      [['Failed', 'UserDoesNotExist'], 'undelivered', 'invalid_number'],
      [['Failed', 'DeliveryFailure'], 'undelivered', 'provider_error'],
      [['Rejected', 'DoNotDisturbRejection'], 'undelivered', 'dnd'],
    ],
  },
});

describe('the status 409 of a promotional sender', () => {
  const clients = new HttpClients();
  let server: FakeProvider<FakeMessage, FakeRefusal>;
  beforeAll(async () => {
    server = await FakeProvider.start(fakeAfricasTalking(apiKey, 'acme'));
  });
  afterAll(async () => {
    setClock('12:00:00');
    await clients.close();
    await server.stop();
  });

  const call = async (refusal: FakeRefusal) => {
    server.behaviour = () => refusal;
    const { request } = africastalking.settings;
    const settings = {
      ...africastalking.settings,
      request: { ...request, url: server.url, form: { ...request.form, username: 'acme' } },
      allowPrivate: true,
    };
    const options = { clients, secrets: { api_key: apiKey }, maxTimeoutMs: 5_000, settings };
    return new HttpCaller(options).call(message());
  };

  it.each([{ code: '409' }, { status: 409, code: 'Promotional sender' }])(
    'answered as %j between 20:00 and 08:00 in Lagos lets a message wait for the morning',
    async (refusal) => {
      for (const time of ['20:00:00', '23:59:59']) {
        setClock(time);
        const quietUntil = new Date('2026-11-18T08:01:00+01:00');
        expect(await call(refusal)).toMatchObject({ outcome: 'quiet', reason: 'quiet_hours', quietUntil });
      }
      setClock('07:59:59');
      expect(await call(refusal)).toMatchObject({ quietUntil: new Date('2026-11-17T08:01:00+01:00') });
      setClock('08:01:00');
      expect((await call(refusal)).outcome).not.toBe('quiet');
    },
  );
});
