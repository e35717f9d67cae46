import type { HttpRequest } from '@gangan/http-client';
import { nationalNumberOf } from '../../routes/parse-recipient.js';
import { replaceItems } from './batches.js';
import {
  encodingOf,
  fill,
  fillAll,
  type MessageValues,
  type PlaceholderValues,
  recipientForms,
} from './placeholders.js';
import type { RequestSettings } from './request-settings.js';
import { signature } from './sign-request.js';

export type Secrets = Readonly<Record<string, string>>;

/** The values for the placeholders of a request. */
export interface RequestValues {
  /** The messages of one request (see `groupMessages`); absent if the request is not for messages. */
  readonly messages?: readonly MessageValues[];
  readonly others?: PlaceholderValues;
  /** The address for reports; our reference of a message is appended. */
  readonly reportUrl?: string | undefined;
  readonly secrets: Secrets;
  readonly token?: string | undefined;
}

/** Header values take no other characters. */
const inHeader = (value: string): string => value.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?');

/** `encodeURIComponent` rejects half of a surrogate pair. */
const inUrl = (value: string): string => encodeURIComponent(value.toWellFormed());

export function buildRequest(settings: RequestSettings, given: RequestValues): HttpRequest {
  const { method = 'POST', url, headers = {}, basic, bearer, hmac } = settings;
  const { messages = [], secrets, token } = given;
  const named = Object.entries(secrets).map(([name, value]) => [`secret.${name}`, value] as const);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const common = { ...given.others, ...Object.fromEntries(named), timestamp };
  const ofMessage = (message: MessageValues): PlaceholderValues => ({
    ...valuesOf(settings, message, given.reportUrl),
    ...common,
  });
  const values = { ...sharedValues(settings, messages, ofMessage), ...common };
  const filled = (template: string): string => inHeader(fill(template, values));
  const credentials = basic && `${fill(basic.username, values)}:${fill(basic.password, values)}`;
  const request = {
    method,
    url: fill(url, values, inUrl),
    headers: {
      accept: 'application/json, text/plain;q=0.9, */*;q=0.1',
      'user-agent': 'Gangan',
      ...contentType(settings),
      ...(credentials !== undefined && {
        authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      }),
      ...(bearer !== undefined && { authorization: `Bearer ${filled(bearer)}` }),
      ...(token !== undefined && { authorization: `Bearer ${inHeader(token)}` }),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), filled(value)]),
      ),
    },
    ...bodyOf(settings, values, ofMessage, messages),
  };
  if (!hmac) return request;
  const signed = signature(hmac, request, fill(hmac.secret, values), timestamp);
  return { ...request, headers: { ...request.headers, [hmac.header.toLowerCase()]: signed } };
}

const valuesOf = (
  { encodings }: RequestSettings,
  message: MessageValues,
  reportUrl: string | undefined,
): PlaceholderValues => ({
  ...message,
  recipient_national: () => nationalNumberOf(message.recipient),
  encoding: () => encodings?.[encodingOf(message)] ?? encodingOf(message),
  ...(reportUrl !== undefined && { report_url: `${reportUrl}/${message.reference}` }),
});

/** The values outside the repeated part. They are the same for all messages, except for the recipients. */
function sharedValues(
  { batch }: RequestSettings,
  messages: readonly MessageValues[],
  ofMessage: (message: MessageValues) => PlaceholderValues,
): PlaceholderValues {
  const [first] = messages;
  if (!first) return {};
  if (batch?.separator === undefined) return ofMessage(first);
  const all = (name: string) => () =>
    messages.map((message) => fill(`{${name}}`, ofMessage(message))).join(batch.separator);
  return { ...ofMessage(first), ...Object.fromEntries(recipientForms.map((name) => [name, all(name)])) };
}

function contentType({ json, form, text }: RequestSettings): Record<string, string> {
  if (json !== undefined) return { 'content-type': 'application/json' };
  if (form !== undefined) return { 'content-type': 'application/x-www-form-urlencoded' };
  return text === undefined ? {} : { 'content-type': 'text/plain; charset=utf-8' };
}

function bodyOf(
  { json, form, text, batch }: RequestSettings,
  values: PlaceholderValues,
  itemValues: (message: MessageValues) => PlaceholderValues,
  messages: readonly MessageValues[],
): { body?: string } {
  if (json !== undefined) {
    const filled =
      batch?.items === undefined
        ? fillAll(json, values)
        : replaceItems(
            json,
            batch.items,
            (item) => messages.map((message) => fillAll(item, itemValues(message))),
            (part) => fillAll(part, values),
          );
    return { body: JSON.stringify(filled) };
  }
  if (form !== undefined)
    return { body: new URLSearchParams(fillAll(form, values) as Record<string, string>).toString() };
  return text === undefined ? {} : { body: fill(text, values) };
}
