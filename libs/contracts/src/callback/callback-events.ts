import type { Dto } from '@gangan/protocol';
import {
  BalanceCallbackData,
  EndpointTestData,
  ImportCallbackData,
  OptOutCallbackData,
  OtpCallbackData,
  PurchaseCallbackData,
} from './callback.dto.js';
import {
  CanceledCallbackData,
  ExpansionFailedCallbackData,
  MessageCallbackData,
  ReceivedCallbackData,
} from './message-callback.dto.js';

interface CallbackEvent<Data extends object> {
  /** The class of `data`, from which the OpenAPI document describes the body. */
  readonly data: Dto<Data>;
  readonly summary: string;
  /** `on`: an endpoint gets it unless its `events` leave it out. `off`: only if they name it. `always`: it cannot be chosen. */
  readonly subscription: 'on' | 'off' | 'always';
}

const event = <Data extends object>(
  data: Dto<Data>,
  summary: string,
  subscription: CallbackEvent<Data>['subscription'] = 'on',
): CallbackEvent<Data> => ({ data, summary, subscription });

/** Every type of callback. A new type is a row here and a call of `recordCallbacks` where it happens. */
export const callbackEvents = {
  'message.sent': event(MessageCallbackData, 'A carrier accepted the message'),
  'message.delivered': event(MessageCallbackData, 'The carrier reports the delivery of the message'),
  'message.read': event(
    MessageCallbackData,
    'WhatsApp reports that the message was read; `message.delivered` may be missing',
  ),
  'message.undelivered': event(
    MessageCallbackData,
    'The carrier accepted the message and reports that it could not be delivered',
  ),
  'message.failed': event(MessageCallbackData, 'No carrier accepted the message'),
  'message.expired': event(MessageCallbackData, 'No report arrived within the validity period'),
  'message.rejected': event(MessageCallbackData, 'The message was rejected before a carrier was called'),
  'message.clicked': event(MessageCallbackData, 'The recipient opened a tracked link'),
  'message.canceled': event(
    CanceledCallbackData,
    'You canceled the message, and all its recipients have ended; one event per message',
  ),
  'message.expansion_failed': event(
    ExpansionFailedCallbackData,
    'The smartlist of the message could not be read, or not to its end; one event per message',
  ),
  'message.received': event(
    ReceivedCallbackData,
    'A number of the organisation received a message; the only event with the text of a message',
  ),
  'airtime.sent': event(PurchaseCallbackData, 'The purchase was submitted; the outcome is not known yet'),
  'airtime.success': event(PurchaseCallbackData, 'The number was topped up'),
  'airtime.failed': event(PurchaseCallbackData, 'The number was not topped up; the purchase is refunded'),
  'airtime.error': event(PurchaseCallbackData, 'The outcome of the purchase is unknown after a day'),
  'airtime.duplicate': event(PurchaseCallbackData, 'The purchase repeats a recent one and is refunded'),
  'balance.low': event(BalanceCallbackData, 'The balance has fallen below the threshold of the organisation'),
  'import.finished': event(ImportCallbackData, 'An import of contacts has ended'),
  'recipient.opted_out': event(
    OptOutCallbackData,
    'A number has opted out of promotional messages; not sent for numbers that the operator imports',
  ),
  'otp.sent': event(OtpCallbackData, 'A carrier accepted a message of the OTP', 'off'),
  'otp.verified': event(OtpCallbackData, 'The OTP was verified', 'off'),
  'otp.failed': event(
    OtpCallbackData,
    'No message of the OTP was delivered and no fallback is left, or its attempts are used up',
    'off',
  ),
  'endpoint.test': event(EndpointTestData, 'You tested an endpoint', 'always'),
};

type Events = typeof callbackEvents;
type DataOf<Type extends CallbackType> = Events[Type] extends CallbackEvent<infer Data> ? Data : never;

export type CallbackType = keyof Events;

/** The body of a callback of one type. */
export interface CallbackOf<Type extends CallbackType> {
  type: Type;
  /** Time of the event; the same in every attempt. */
  timestamp: string;
  data: DataOf<Type>;
}

export type CallbackBody = { [Type in CallbackType]: CallbackOf<Type> }[CallbackType];

type TypesWith<Data extends object> = {
  [Type in CallbackType]: Events[Type] extends CallbackEvent<Data> ? Type : never;
}[CallbackType];

export type MessageCallback = CallbackOf<TypesWith<MessageCallbackData>>;
export type AirtimeCallback = CallbackOf<TypesWith<PurchaseCallbackData>>;

export const callbackTypes = Object.keys(callbackEvents) as CallbackType[];

/** The events that the deliveries of a message cause. A recipient, the organisation or a sender causes the others. */
export const deliveryEvents = callbackTypes.filter(
  (type) =>
    type.startsWith('message.') &&
    !['message.clicked', 'message.canceled', 'message.received'].includes(type),
);

export const purchaseEvents = callbackTypes.filter((type) => type.startsWith('airtime.'));

export const otpEvents = callbackTypes.filter((type) => type.startsWith('otp.'));

/** The events that a received message causes, which may be a keyword. */
export const receptionEvents: readonly CallbackType[] = ['message.received', 'recipient.opted_out'];

/** The events that an endpoint can subscribe to. */
export const endpointEvents = callbackTypes.filter((type) => callbackEvents[type].subscription !== 'always');

/** The events that an endpoint gets if it was created without `events`. */
export const defaultEndpointEvents = callbackTypes.filter(
  (type) => callbackEvents[type].subscription === 'on',
);
