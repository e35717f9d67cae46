import { createHmac } from 'node:crypto';
import type { SeenCallback } from '../network/callback-consumer.js';
import { basicOf } from './fake-message.js';
import type { FakeReply, FakeScript } from './fake-provider.js';

/** A request about a number, as the provider reads it. */
export interface FakeQuestion {
  readonly number: string;
  readonly country?: string;
}

/** What the provider answers instead of the documented example: another status, or other fields. */
export interface FakeLookupAnswer {
  readonly status?: number;
  /** Merged into the example of the documentation, or the whole answer if the status is an error. */
  readonly body: Readonly<Record<string, unknown>>;
}

type LookupScript = FakeScript<FakeQuestion, FakeLookupAnswer>;

const answerWith =
  (example: (question: FakeQuestion) => Record<string, unknown>): LookupScript['answer'] =>
  ([result]): FakeReply => {
    const { status = 200, body = {} } = result?.refusal ?? {};
    const question = result?.message ?? { number: '' };
    return { status, body: status === 200 ? { ...example(question), ...body } : body };
  };

const queryOf = ({ path = '' }: SeenCallback): URLSearchParams => new URL(path, 'http://fake').searchParams;

/** The example of https://www.hlr-lookups.com/en/api-docs, signed as the official SDK does. */
export const fakeHlrLookups = (key: string, secret: string): LookupScript => ({
  path: '/api/v2/hlr-lookup',
  read: ({ path, headers, body }) => {
    const timestamp = String(headers['x-digest-timestamp']);
    const signature = createHmac('sha256', secret).update(`/hlr-lookup${timestamp}POST${body}`).digest('hex');
    const isSigned =
      path === '/api/v2/hlr-lookup' &&
      headers['x-digest-key'] === key &&
      headers['x-digest-signature'] === signature &&
      Math.abs(Date.now() / 1_000 - Number(timestamp)) < 300;
    if (!isSigned) return { status: 401, body: { success: false } };
    return [{ number: (JSON.parse(body) as { msisdn: string }).msisdn }];
  },
  check: () => undefined,
  answer: answerWith(({ number }) => ({
    id: 'f94ef092cb53',
    msisdn: number,
    connectivity_status: 'CONNECTED',
    mccmnc: '310260',
    mcc: '310',
    mnc: '260',
    imsi: '***************',
    msin: '**********',
    msc: '************',
    original_network_name: 'Verizon Wireless',
    original_country_name: 'United States',
    original_country_code: 'US',
    original_country_prefix: '+1',
    is_ported: true,
    ported_network_name: 'T-Mobile US',
    ported_country_name: 'United States',
    ported_country_code: 'US',
    ported_country_prefix: '+1',
    is_roaming: false,
    roaming_network_name: null,
    roaming_country_name: null,
    roaming_country_code: null,
    roaming_country_prefix: null,
    cost: '0.0100',
    timestamp: '2020-08-07 19:16:17.676+0300',
    storage: 'SYNC-API-2020-08',
    route: 'IP1',
    processing_status: 'COMPLETED',
    error_code: null,
    data_source: 'LIVE_HLR',
  })),
});

/** As https://www.twilio.com/docs/lookup/v2-api and its page about Line Type Intelligence say. */
export const fakeTwilioLookup = (accountSid: string, authToken: string): LookupScript => ({
  path: '/v2/PhoneNumbers/',
  read: (request) => {
    const number = decodeURIComponent(/^\/v2\/PhoneNumbers\/([^/?]+)/.exec(request.path ?? '')?.[1] ?? '');
    const asks = queryOf(request).get('Fields') === 'line_type_intelligence';
    if (request.headers.authorization !== basicOf(accountSid, authToken))
      return { status: 401, body: { code: 20003, message: 'Authenticate', status: 401 } };
    return asks ? [{ number }] : { status: 400, body: { code: 20001, message: 'Fields', status: 400 } };
  },
  check: () => undefined,
  answer: answerWith(({ number }) => ({
    calling_country_code: '234',
    country_code: 'NG',
    phone_number: number,
    valid: true,
    national_format: '',
    validation_errors: null,
    caller_name: null,
    sim_swap: null,
    line_type_intelligence: {
      error_code: null,
      mobile_country_code: '621',
      mobile_network_code: '30',
      carrier_name: 'MTN',
      type: 'mobile',
    },
  })),
});

const termiiQuestion =
  (apiKey: string) =>
  (request: SeenCallback): readonly FakeQuestion[] | FakeReply => {
    const query = queryOf(request);
    if (query.get('api_key') !== apiKey) return { status: 401, body: { message: 'Unauthorized' } };
    const country = query.get('country_code');
    return [{ number: query.get('phone_number') ?? '', ...(country !== null && { country }) }];
  };

/** The example of https://developers.termii.com/search. */
export const fakeTermiiDnd = (apiKey: string): LookupScript => ({
  path: '/api/check/dnd',
  read: termiiQuestion(apiKey),
  check: () => undefined,
  answer: answerWith(({ number }) => ({
    number,
    status: 'DND blacklisted',
    network: 'Airtel Nigeria',
    network_code: '62120',
  })),
});

/** The example of https://developers.termii.com/status. */
export const fakeTermiiNumber = (apiKey: string): LookupScript => ({
  path: '/api/insight/number/query',
  read: termiiQuestion(apiKey),
  check: () => undefined,
  answer: answerWith(({ number }) => ({
    result: [
      {
        routeDetail: { number, ported: 0 },
        countryDetail: { countryCode: '234', mobileCountryCode: '621', iso: 'NG' },
        operatorDetail: {
          operatorCode: 'ANG',
          operatorName: 'Airtel Nigeria',
          mobileNumberCode: '20',
          mobileRoutingCode: '41',
          carrierIdentificationCode: '23433',
          lineType: 'Mobile',
        },
        status: 200,
      },
    ],
  })),
});
