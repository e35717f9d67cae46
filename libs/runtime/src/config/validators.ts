import { isIpNetwork, parseUrl } from '@gangan/protocol';
import { databaseUrlFault } from '@gangan/database';
import { AppKeys, redisUrlFault } from '@gangan/queue';
import { NamedKeys, splitKeys } from '@gangan/sealing';
import { EnvError, makeExactValidator, type ValidatorSpec } from 'envalid';

export { str } from 'envalid';

/** Marks a variable as secret: its value may be in a file, which `NAME_FILE` names. */
export const secret = <S extends ValidatorSpec<unknown>>(spec: S): S & { readonly secret: true } => ({
  ...spec,
  secret: true,
});

/** The message never repeats the value, which may be secret. */
const reject = (expected: string): never => {
  throw new EnvError(expected);
};

export const bool = makeExactValidator<boolean>((input) =>
  ['true', 'false'].includes(input) ? input === 'true' : reject('must be true or false'),
);

export const wholeNumber = (bounds: { readonly min: number; readonly max: number }) =>
  makeExactValidator<number>((input) => {
    const value = /^\d{1,15}$/.test(input) ? Number(input) : NaN;
    return value >= bounds.min && value <= bounds.max
      ? value
      : reject(`must be a whole number from ${bounds.min} to ${bounds.max}`);
  });

/** A port to listen on; 0 lets the system choose a free one. */
export const listenPort = wholeNumber({ min: 0, max: 65_535 });

/**
 * Text that a function checks.
 * ```ts
 * const region = checkedText((text) => (isRegion(text) ? undefined : 'must be a country code such as NG'));
 * ```
 * @param faultOf what is wrong with a text, to be read after the name of the variable
 */
export const checkedText = (faultOf: (text: string) => string | undefined) =>
  makeExactValidator<string>((input) => {
    const fault = faultOf(input);
    return fault === undefined ? input : reject(fault);
  });

export const databaseUrl = checkedText(databaseUrlFault);
export const redisUrl = checkedText(redisUrlFault);

/** Where to listen: one or several addresses. `listenAddresses` reads them. */
export const listenHosts = checkedText((text) =>
  text
    .split(',')
    .every((host) => (host.includes('/') ? isIpNetwork(host.trim()) : /^[\w.:-]+$/.test(host.trim())))
    ? undefined
    : 'must be addresses or networks, separated by commas, such as 127.0.0.1,10.0.0.0/8',
);

/** An address to which paths are appended; its trailing slash is removed. */
export const baseUrl = makeExactValidator<string>((input) => {
  const expected = 'must be an http:// or https:// address without a query, such as https://sms.example.com';
  const url = parseUrl(input);
  if (!url) return reject(expected);
  const usable = ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username;
  return usable ? url.href.replace(/(?<!\/)\/+$/, '') : reject(expected);
});

/** One key, or while it is replaced several, the newest first: base64 of 32 bytes each, separated by commas. */
export const sealingKeys = (max: number) =>
  makeExactValidator<readonly string[]>((input) => {
    const keys = splitKeys(input);
    const usable = keys.length <= max && keys.every((key) => /^[A-Za-z0-9+/]{43}=$/.test(key));
    return usable
      ? keys
      : reject(`must be one key, or up to ${max} separated by commas, each the base64 of 32 bytes`);
  });

/** The keys of one app for the queues, as `pnpm admin queues keys` prints them. */
export const queueKeys = makeExactValidator<AppKeys>(
  (input) => AppKeys.parse(input) ?? reject('must be what pnpm admin queues keys printed for this app'),
);

/** The keys of one app for what it stores sealed, as `pnpm admin secrets keys` prints them. */
export const dataKeys = makeExactValidator<NamedKeys>(
  (input) => NamedKeys.parse(input) ?? reject('must be what pnpm admin secrets keys printed for this app'),
);

/** One or several durations, each longer than the one before it. `parseDurations` reads them. */
export const durations = checkedText((text) =>
  parseDurations(text) ? undefined : 'must be growing times, separated by commas, such as 5s,30s,2m,1h',
);

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Reads `5s,30s,2m` as milliseconds; `undefined` if one cannot be read or is not longer than the one before it. */
export function parseDurations(text: string): readonly number[] | undefined {
  const parsed = text.split(',').map((part) => {
    const [, count, unit] = /^(\d{1,9})(ms|s|m|h)$/.exec(part.trim()) ?? [];
    return count === undefined ? NaN : Number(count) * units[unit as keyof typeof units];
  });
  return parsed.every((duration, index) => duration > (parsed[index - 1] ?? 0)) ? parsed : undefined;
}
