/** Why something did not succeed: a code for programs, a sentence for people. */
export interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * The reasons of messages and OTPs. Customers never see the sentences of a provider: they may describe our account, or
 * repeat an OTP. `docs/use/delivery.md` lists all of these, and a test compares them.
 */
export const deliveryReasons = {
  country_not_allowed: 'The organisation does not send messages to this country',
  daily_limit: 'The provider sends no more messages of this sender today',
  dnd: 'The recipient is on the do-not-disturb (DND) list',
  invalid_number: 'This number cannot receive messages',
  invalid_request: 'The request to the provider could not be made',
  invalid_sender: 'The provider does not accept this sender',
  marketing_limit: 'WhatsApp does not deliver this marketing message to this number',
  no_access_token: 'The provider cannot be used at the moment: it issued no access token',
  no_answer: 'The provider did not answer',
  no_price: 'The organisation has no price for messages to this number',
  no_provider: 'No provider was available within the validity period',
  no_report: 'No delivery report arrived within the validity period',
  no_route: 'The provider does not reach this number',
  not_submitted: 'The message could not be submitted in time',
  obsolete: 'The OTP had ended, or was about to expire, before it could be sent',
  opted_out: 'The recipient has opted out',
  pair_limit: 'This number gets no further message at the moment: too many were sent to it',
  partly_accepted: 'The provider accepted only a part of the message',
  provider_error: 'The provider or the carrier reported an error',
  provider_unavailable: 'The provider cannot be used at the moment',
  provider_unreachable: 'The provider could not be reached',
  quiet_hours: 'Messages of this kind are not sent at this hour',
  recipient_blocked: 'This number does not accept messages from this sender',
  rejected: 'The provider or the carrier rejected the message',
  sender_queue_full: 'Too many messages of this sender wait at the provider',
  suspended: 'The organisation was suspended, and the validity period ended meanwhile',
  template_disabled: 'The template is disabled',
  template_mismatch: 'The values do not fit the template',
  template_paused: 'The template is paused',
  template_rejected: 'The template breaks the rules of WhatsApp',
  template_unknown: 'The template does not exist in this language, or is not approved',
  throttled: 'The provider accepts no more messages at the moment',
  too_long: 'The text is too long for the provider',
  unaffordable: 'The smartlist has grown, and the balance or a daily limit did not cover this recipient',
  unclear_answer: 'It is not known whether the provider accepted the message',
  unlisted_answer: 'The provider did not accept the message',
  unreachable: 'The recipient could not be reached: the phone was off, out of coverage or barred',
  unreadable: 'The text could not be prepared for the provider',
  unreadable_answer: 'The answer of the provider could not be read',
  unspecified: 'The provider gave no reason',
  validity_ended: 'The carrier could not deliver the message within its validity period',
  verified: 'The OTP was verified before it could be sent',
  window_closed: 'The recipient has not written within 24 hours: only templates can be sent',
} as const;

/** The reasons of an OTP as a whole. */
export const otpReasons = {
  too_many_attempts: 'All attempts to verify the OTP were used up',
} as const;

export const airtimeReasons = {
  duplicate: 'The same purchase was made shortly before. To buy again, send a different external_ref.',
  failed_by_hand: 'An operator found that it was not delivered',
  invalid_amount: 'The network does not sell this amount',
  invalid_number: 'The network does not know this number',
  never_arrived: 'The provider never received it',
  no_answer: 'The provider has not reported the outcome',
  not_available: 'The network cannot be topped up at the moment',
  product_unavailable: 'The product is no longer sold; nothing was sent',
  provider_unavailable: 'The provider cannot be used at the moment',
  provider_unreachable: 'No provider could be reached; nothing was sent',
  recently_topped_up: 'The number was topped up shortly before',
  rejected: 'The network rejected the top-up',
  suspended: 'The organisation was suspended; nothing was sent',
} as const;

/** Why an attempt to deliver a callback has no response. */
export const callbackReasons = {
  connect: 'No connection could be made',
  dns: "The host's name could not be resolved",
  endpoint_off: 'It was not sent because its endpoint was disabled or deleted',
  interrupted: 'The worker stopped before your response; the callback is sent again at once',
  invalid_url: 'The URL cannot be called',
  malformed_answer: 'The response was not valid HTTP',
  refused_address: 'The URL leads to an address outside the public internet',
  refused_url: 'The URL does not start with https://, or has a port that your callbacks may not use',
  reset: 'The connection was closed before the response was complete',
  timeout: 'No complete response in time',
  tls: 'No trusted TLS connection; check your certificate',
  unsent: 'It was not sent because of an internal error',
} as const;

type Sentences = Readonly<Record<string, string>>;

/** The sentence of a code; undefined for one that only the settings of a provider have. */
const sentenceOf = (sentences: Sentences, code: string): string | undefined =>
  Object.hasOwn(sentences, code) ? sentences[code] : undefined;

export type DeliveryReasonCode = keyof typeof deliveryReasons;
export type AirtimeReasonCode = keyof typeof airtimeReasons;

/** @param otherwise the sentence of a code that only the settings of a provider have */
export const deliveryReason = (code: string, otherwise = 'The message could not be delivered'): Reason => ({
  code,
  message: sentenceOf(deliveryReasons, code) ?? otherwise,
});

export const airtimeReason = (code: string): Reason => ({
  code,
  message: sentenceOf(airtimeReasons, code) ?? 'The provider rejected the top-up',
});

export const callbackReason = (code: string): Reason => ({
  code,
  message: sentenceOf(callbackReasons, code) ?? 'The callback could not be delivered',
});

/** A stored reason as it is shown. Earlier versions stored some without their sentence. */
export const shownReason = (
  code: string | null,
  message: string | null,
  reasonFor: (code: string) => Reason,
): { readonly reason?: Reason } => {
  if (code === null) return {};
  return { reason: message ? { code, message } : reasonFor(code) };
};
