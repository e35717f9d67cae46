import { isIP } from 'node:net';
import { parseUrl } from '@gangan/protocol';
import { IsString } from 'class-validator';
import { combine, MaxLength } from './decorators.js';
import { ValidateWithSettings } from './settings-rules.js';
import { isPublicAddress } from '../../addresses/public-address.js';

/** Reserved names that never resolve to a public host. Other names are checked when they are resolved. */
const localSuffixes = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];
const publicName = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/**
 * Returns what is wrong with a callback URL, as the end of a sentence; `undefined` if it is valid. The host is checked
 * after parsing, which normalises every notation (decimal, octal, percent-encoded, full-width …).
 */
export function callbackUrlError(given: string, allowPrivate = false): string | undefined {
  // The parser removes or repairs these, so the stored URL and the called one would differ.
  const url = parseUrl(given);
  if (!/^https?:\/\/[^/\\]/i.test(given) || /[\s\p{Cc}\\]/u.test(given) || !url) {
    return 'must be a complete URL that starts with http:// or https://, such as https://example.com/callbacks';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user name or a password: callbacks are signed instead';
  }
  if (url.hash !== '') return 'must not contain a fragment (#): fragments are never sent';
  if (!allowPrivate && !isPublicHost(url.hostname)) {
    return 'must have a host on the public internet, not a private or local one';
  }
  return undefined;
}

function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(host) !== 0) return isPublicAddress(host);
  const local = localSuffixes.some((suffix) => `.${host}`.endsWith(`.${suffix}`));
  return host.length <= 253 && publicName.test(host) && !local;
}

const isCallbackUrl = ValidateWithSettings({
  name: 'isUrl',
  validate: (value, { allowPrivateCallbacks }) =>
    typeof value === 'string' ? callbackUrlError(value, allowPrivateCallbacks) : 'must be a URL',
});

/** An http or https URL; its host is public unless the settings allow private ones. */
export const IsCallbackUrl = (): PropertyDecorator => combine(isCallbackUrl, MaxLength(2_048), IsString());
