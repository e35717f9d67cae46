import { FakeProvider, type FakeScript } from './fake-provider.js';

export interface TermiiMessage {
  readonly api_key: string;
  readonly to: string;
  readonly from: string;
  readonly sms: string;
  readonly type: string;
  readonly channel: string;
}

export interface TermiiRefusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Answers as https://developers.termii.com/messaging-api and https://developers.termii.com/error/ say, and checks the fields
 * of a request as the first page describes them.
 */
export const fakeTermii = (apiKey: string): FakeScript<TermiiMessage, TermiiRefusal> => ({
  path: '/api/sms/send',
  credit: ({ path }) =>
    path === `/api/get-balance?api_key=${encodeURIComponent(apiKey)}`
      ? { status: 200, body: { user: 'Fake Account', balance: 1047.57, currency: 'NGN' } }
      : undefined,
  read: ({ body }) => {
    const message = JSON.parse(body || '{}') as TermiiMessage;
    return message.api_key === apiKey ? [message] : { status: 401, body: { message: 'Unauthorized' } };
  },
  check: ({ to, from, sms, type, channel }) => {
    const isValid =
      /^[1-9]\d{7,14}$/.test(to) &&
      /^.{3,11}$/.test(from) &&
      sms !== '' &&
      ['plain', 'unicode'].includes(type) &&
      ['dnd', 'generic'].includes(channel);
    return isValid ? undefined : { status: 422, message: 'Unprocessable entity' };
  },
  answer: ([result]) => {
    if (!result?.refusal) return { status: 200, body: acceptance(result?.number ?? 0) };
    const { message, ...refusal } = result.refusal;
    return { ...refusal, body: { message } };
  },
});

/** `message_id` is a number here: a text of it would hide that JSON.parse rounds 25 digits. */
function acceptance(number: number): string {
  const id = termiiIdOf(number);
  return `{"code":"ok","balance":1047.57,"message_id":${id},"message":"Successfully Sent","user":"Fake Account","message_id_str":"${id}"}`;
}

/** The id of the message that the server accepted as the n-th. */
export const termiiIdOf = (number: number): string =>
  String(3_017_544_054_459_083_819_800_000n + BigInt(number));

/** A page has 160 characters, or 70 if the text has one of these. */
export const termiiPages = (text: string): number =>
  Math.ceil(text.length / (/[;/^{}\\[~\]|€'"]/.test(text) ? 70 : 160));

/**
 * A report about the message that the server accepted as the n-th, as https://developer.termii.com/events-and-reports says:
 * its cost is that of all pages. @param rate naira for a page
 */
export const termiiReport = (
  number: number,
  { to: receiver, from: sender, sms: message }: Pick<TermiiMessage, 'to' | 'from' | 'sms'>,
  rate: number,
  status = 'DELIVERED | Message delivered to handset',
): object => ({
  type: 'outbound',
  message_id: termiiIdOf(number),
  receiver,
  sender,
  message,
  sent_at: '2020-12-16 11:34:36',
  cost: String(termiiPages(message) * rate),
  command: 'deliver',
  status,
  channel: 'dnd',
});

export type FakeTermii = FakeProvider<TermiiMessage, TermiiRefusal>;
export const FakeTermii = { start: (apiKey: string) => FakeProvider.start(fakeTermii(apiKey)) };
