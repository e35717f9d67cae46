import type { HttpRequest } from '@gangan/http-client';
import type { RequestSettings } from './http-settings.js';
import { fill, fillAll, type MessageValues } from './placeholders.js';

export type Secrets = Readonly<Record<string, string>>;

/** Header values take no other characters. */
const inHeader = (value: string): string => value.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '?');

/** `encodeURIComponent` rejects half of a surrogate pair. */
const inUrl = (value: string): string => encodeURIComponent(value.toWellFormed());

/** The request for one message. */
export function buildRequest(
  settings: RequestSettings,
  message: MessageValues,
  secrets: Secrets,
): HttpRequest {
  const { method = 'POST', url, headers = {}, basic, bearer } = settings;
  const named = Object.entries(secrets).map(([name, value]) => [`secret.${name}`, value] as const);
  const values = { ...message, ...Object.fromEntries(named) };
  const filled = (template: string): string => inHeader(fill(template, values));
  const credentials = basic && `${fill(basic.username, values)}:${fill(basic.password, values)}`;
  return {
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
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), filled(value)]),
      ),
    },
    ...bodyOf(settings, values),
  };
}

function contentType({ json, form, text }: RequestSettings): Record<string, string> {
  if (json !== undefined) return { 'content-type': 'application/json' };
  if (form !== undefined) return { 'content-type': 'application/x-www-form-urlencoded' };
  return text === undefined ? {} : { 'content-type': 'text/plain; charset=utf-8' };
}

function bodyOf(
  { json, form, text }: RequestSettings,
  values: Readonly<Record<string, string>>,
): { body?: string } {
  if (json !== undefined) return { body: JSON.stringify(fillAll(json, values)) };
  if (form !== undefined)
    return { body: new URLSearchParams(fillAll(form, values) as Record<string, string>).toString() };
  return text === undefined ? {} : { body: fill(text, values) };
}
