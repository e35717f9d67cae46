import { isIP } from 'node:net';
import { parseUrl } from '@gangan/protocol';
import { IsString } from 'class-validator';
import { combine, MaxLength } from './decorators.js';
import { ValidateWithSettings } from './settings-rules.js';
import { blockedPorts } from '../../addresses/blocked-ports.js';
import { isPublicAddress } from '../../addresses/public-address.js';
import type { CallbackRules } from '../../settings.js';

/** Reserved names that never resolve to a public host. Other names are checked when they are resolved. */
const localSuffixes = ['localhost', 'localdomain', 'local', 'internal', 'home.arpa'];
const publicName = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/**
 * Returns what is wrong with a callback URL, as the end of a sentence; `undefined` if it is valid. The host is checked
 * after parsing, which normalises every notation (decimal, octal, percent-encoded, full-width …).
 */
export function callbackUrlError(
  given: string,
  allowPrivate = false,
  rules?: CallbackRules,
): string | undefined {
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
  return rules && callbackRuleError(url, rules);
}

/** What the callbacks of an organisation must not do if they are restricted; `undefined` if the URL is allowed. */
export function callbackRuleError(
  { protocol, port }: URL,
  { requiresHttps }: CallbackRules,
): string | undefined {
  if (requiresHttps && protocol !== 'https:')
    return 'must start with https://: callbacks of this organisation are sent encrypted only';
  if (port !== '' && blockedPorts.has(Number(port)))
    return `must not have the port ${port}, which belongs to another protocol: use 443, or a port such as 8443`;
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
  validate: (value, { allowPrivateCallbacks, callbackRules }) =>
    typeof value === 'string'
      ? callbackUrlError(value, allowPrivateCallbacks, callbackRules)
      : 'must be a URL',
});

/** An http or https URL; its host is public unless the settings allow private ones. Restricted ones have further rules. */
export const IsCallbackUrl = (): PropertyDecorator => combine(isCallbackUrl, MaxLength(2_048), IsString());
