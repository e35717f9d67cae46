import { isNetwork } from '@gangan/contracts';
import { parseUrl } from '@gangan/protocol';
import { findWarnBelowFaults, warnBelowSchema } from '../credit/credit-settings.js';
import { object, Shape, text } from '../http/schema.js';
import { type CommissionSettings, commissionSchema, findCommissionFaults } from './commission.js';

/** Settings that the adapters of airtime providers share. */
interface AdapterSettings {
  readonly timeoutMs?: number;
  readonly allowPrivate?: boolean;
  readonly credit?: { readonly warnBelow?: string | number };
  /** Used for purchases whose answer does not say what they cost. */
  readonly commission?: CommissionSettings;
}

export interface VtpassSettings extends AdapterSettings {
  /** `https://sandbox.vtpass.com/api` for the sandbox. */
  readonly url?: string;
  /** The services of networks, in addition to the known ones. */
  readonly services?: Readonly<Record<string, string>>;
}

export interface ReloadlySettings extends AdapterSettings {
  /** `https://topups-sandbox.reloadly.com` for the sandbox. */
  readonly url?: string;
  readonly tokenUrl?: string;
  /** The operators of networks; the others are looked up by their names. */
  readonly operators?: Readonly<Record<string, number>>;
}

export interface AfricasTalkingSettings extends AdapterSettings {
  /** The user name of the application at Africa's Talking. */
  readonly username: string;
  /** `https://api.sandbox.africastalking.com/version1` for the sandbox. */
  readonly url?: string;
  readonly queryUrl?: string;
}

/** The kinds whose data bundles can be listed and bought. */
export const kindsWithProducts: ReadonlySet<string> = new Set(['vtpass', 'reloadly']);

const shared = {
  timeoutMs: { type: 'integer', minimum: 100, maximum: 60_000 },
  allowPrivate: { type: 'boolean' },
  credit: object([], { warnBelow: warnBelowSchema }),
  commission: commissionSchema,
};
const byNetwork = (value: object): object => ({ type: 'object', additionalProperties: value });
const vtpassShape = new Shape<VtpassSettings>(
  object([], { ...shared, url: text, services: byNetwork(text) }),
);
const reloadlyShape = new Shape<ReloadlySettings>(
  object([], { ...shared, url: text, tokenUrl: text, operators: byNetwork({ type: 'integer' }) }),
);

const africasTalkingShape = new Shape<AfricasTalkingSettings>(
  object(['username'], { ...shared, username: text, url: text, queryUrl: text }),
);

/** Finds all faults of the settings of an adapter. */
const faultsOf =
  (shape: Shape<AdapterSettings>, required: readonly string[], urls: readonly string[], networks?: string) =>
  (settings: unknown, secrets: readonly string[]): string[] => {
    if (!shape.fits(settings)) return shape.faultsOf(settings);
    const given = settings as AdapterSettings & Readonly<Record<string, unknown>>;
    return [
      ...required.filter((name) => !secrets.includes(name)).map((name) => `the secret ${name} is not given`),
      ...secrets
        .filter((name) => !required.includes(name))
        .map((name) => `the secret ${name} is given, but is not used`),
      ...urls.flatMap((name) => urlFaults(name, given[name] as string | undefined, given.allowPrivate)),
      ...Object.keys((networks === undefined ? undefined : given[networks]) ?? {})
        .filter((name) => !isNetwork(name))
        .map((name) => `settings.${networks}.${name} is not a network`),
      ...findWarnBelowFaults(given.credit?.warnBelow),
      ...findCommissionFaults(given.commission),
    ];
  };

function urlFaults(name: string, url: string | undefined, allowPrivate = false): string[] {
  if (url === undefined) return [];
  const parsed = parseUrl(url);
  if (!parsed || url.includes('{')) return [`settings.${name} is not a URL`];
  return parsed.protocol === 'https:' || allowPrivate
    ? []
    : [`settings.${name} must begin with https://, unless allowPrivate is true`];
}

export const findAfricasTalkingFaults = faultsOf(africasTalkingShape, ['api_key'], ['url', 'queryUrl']);
export const findVtpassFaults = faultsOf(
  vtpassShape,
  ['api_key', 'public_key', 'secret_key'],
  ['url'],
  'services',
);
export const findReloadlyFaults = faultsOf(
  reloadlyShape,
  ['client_id', 'client_secret'],
  ['url', 'tokenUrl'],
  'operators',
);
