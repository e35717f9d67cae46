import { createHmac } from 'node:crypto';
import { sortedFields } from './form-fields.js';
import type { InboundSettings } from './inbound-settings.js';
import { headerOf, isEqual, type ReceivedRequest } from './received-request.js';

/**
 * Why the request is not from Plivo. Version 3 signs the address, the fields and a nonce, as in `plivo.utils.signature_v3` of
 * Plivo's SDK for Python. https://www.plivo.com/docs/messaging/concepts/signature-validation documents version 2 for
 * messages, which signs only the address and a nonce; requests about messages have both. A header `Ma` is signed with the
 * token of the main account, and each may list several signatures.
 */
export function plivoFault(
  { version = 'v3' }: NonNullable<InboundSettings['plivo']>,
  token: string,
  request: ReceivedRequest,
): string | undefined {
  const { headers } = request;
  const [name, main] = [
    `X-Plivo-Signature-${version.toUpperCase()}`,
    `X-Plivo-Signature-Ma-${version.toUpperCase()}`,
  ];
  const given = [name, main].flatMap((header) => headerOf(headers, header).split(',')).filter(Boolean);
  const nonce = headerOf(headers, `${name}-Nonce`);
  if (given.length === 0 || nonce === '')
    return version === 'v3' && headerOf(headers, 'X-Plivo-Signature-V2') !== ''
      ? 'it has only a signature of version 2, which does not cover its fields: to accept those, set inbound.plivo.version to v2'
      : `the header ${name} is missing`;
  const text = version === 'v2' ? addressOf(request.url) + nonce : signedText(request, nonce);
  if (text === undefined) return 'only a POST may have a body';
  const expected = createHmac('sha256', token).update(text).digest();
  return given.some((signature) => isEqual(Buffer.from(signature, 'base64'), expected))
    ? undefined
    : `${name} does not match: check the secret, and PUBLIC_URL, which begins the address that Plivo signs`;
}

/** Undefined if the signature would not cover the body. */
function signedText({ method, url, body }: ReceivedRequest, nonce: string): string | undefined {
  if (method !== 'POST' && body.length > 0) return undefined;
  const query = sortedFields(url.split(/\?(.*)/s)[1] ?? '')
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  const fields = sortedFields(body.toString('utf8')).flat().join('');
  const hasQuery = query !== '' || fields !== '';
  return [
    addressOf(url),
    ...(hasQuery ? ['?', query] : []),
    ...(query !== '' && fields !== '' ? ['.'] : []),
    `${fields}.${nonce}`,
  ].join('');
}

const addressOf = (url: string): string => url.split('?')[0] ?? '';
