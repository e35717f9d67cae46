import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Names that by their rules never lead out of a machine or a network. Others are looked at when they are resolved. */
const localSuffixes = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];
const publicName = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

let allowPrivate = false;

/** Chosen once, when the process starts (`CALLBACK_ALLOW_PRIVATE`). */
export function setAllowPrivateCallbacks(allow: boolean): void {
  allowPrivate = allow;
}

/**
 * What is wrong with a callback URL, as the end of a sentence; `undefined` when nothing is. The parser turns every
 * way of writing a host (decimal, octal, percent-encoded, full-width …) into one, and that one is judged.
 */
export function callbackUrlError(given: string): string | undefined {
  // The parser would remove or mend these, so that what is stored and what is called would differ.
  if (!/^https?:\/\/[^/\\]/i.test(given) || /[\s\p{Cc}\\]/u.test(given) || !URL.canParse(given)) {
    return 'must be a complete address that starts with http:// or https://, such as https://example.com/callbacks';
  }
  const url = new URL(given);
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or a password: callbacks are signed instead';
  }
  if (url.hash !== '') return 'must not contain a fragment (#): it would never be sent';
  if (!allowPrivate && !isPublicHost(url.hostname)) {
    return 'must lead to a host on the public internet, not to a private or local one';
  }
  return undefined;
}

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  const local = localSuffixes.some((suffix) => `.${host}`.endsWith(`.${suffix}`));
  return host.length <= 253 && publicName.test(host) && !local;
}
