import { createHash, createHmac } from 'node:crypto';
import { isForm } from '../http/inbound-document.js';
import type { InboundSettings } from './inbound-settings.js';
import { isEqual, type ReceivedRequest } from './received-request.js';

type Algorithm = NonNullable<InboundSettings['vonage']>['algorithm'];

/** Vonage repeats a report for 24 hours. A report counts once, so a copy of it within that time changes nothing. */
const maxAgeSeconds = 25 * 3_600;
const maxAheadSeconds = 5 * 60;

/**
 * Why the request is not from Vonage. https://developer.vonage.com/en/getting-started/concepts/signing-messages: `&name=value` for each parameter except `sig`,
 * sorted by name, with `_` for each `&` and `=` in a name or value. The parameters are those that are read: of the body, or
 * of the query if there is none.
 */
export function vonageFault(
  algorithm: Algorithm,
  secret: string,
  request: ReceivedRequest,
): string | undefined {
  const parameters = parametersOf(request);
  if (!parameters) return 'its parameters cannot be read, or have a name twice';
  const { sig = '', timestamp = '', ...others } = Object.fromEntries(parameters);
  if (sig === '') return 'the parameter sig is missing: ask Vonage to sign its requests';
  if (!isRecent(timestamp, request.arrivedAt)) return 'its timestamp is missing, too old or in the future';
  const signed = Object.entries({ ...others, timestamp })
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `&${plain(name)}=${plain(value)}`)
    .join('');
  const expected =
    algorithm === 'md5hash'
      ? createHash('md5').update(signed + secret)
      : createHmac(algorithm, secret).update(signed);
  return isEqual(Buffer.from(sig, 'hex'), expected.digest())
    ? undefined
    : 'the parameter sig does not match: check the secret and the algorithm';
}

const plain = (text: string): string => text.replaceAll(/[&=]/g, '_');

function isRecent(timestamp: string, arrivedAt = Date.now()): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const age = arrivedAt / 1_000 - Number(timestamp);
  return age <= maxAgeSeconds && age >= -maxAheadSeconds;
}

/** Returns the parameters; `undefined` if they are not clear: a name is given twice, or a value is not a text. */
function parametersOf({ url, contentType, body }: ReceivedRequest): Map<string, string> | undefined {
  const text = body.toString('utf8');
  if (text !== '' && !isForm(contentType)) return membersOf(text);
  const fields = [...new URLSearchParams(text === '' ? url.split(/\?(.*)/s)[1] : text)];
  const parameters = new Map(fields);
  return parameters.size === fields.length ? parameters : undefined;
}

function membersOf(json: string): Map<string, string> | undefined {
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof document !== 'object' || document === null) return undefined;
  const members = Object.entries(document).filter(([, value]) => value !== null);
  return members.every(([, value]) => typeof value === 'string' || typeof value === 'number')
    ? new Map(members.map(([name, value]) => [name, String(value)]))
    : undefined;
}
