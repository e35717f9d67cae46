import { DerivedKeys } from './named-keys.js';

/** Each key of stored data, and the apps that seal or open values with it. Operators have all of them. */
const readers = {
  'messaging/providers': ['messaging'],
  'airtime/providers': ['airtime'],
  'lookup/providers': ['lookup'],
  'messaging/texts': ['messaging'],
  'messaging/callbacks': ['messaging', 'callback'],
  'otp/deliveries': ['otp', 'messaging'],
  'otp/tokens': ['otp'],
  'callback/secrets': ['callback'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type DataKeyName = keyof typeof readers;

export const dataKeyNames = Object.keys(readers) as DataKeyName[];

export const neededDataKeys = (app: string): DataKeyName[] =>
  dataKeyNames.filter((name) => (readers[name] as readonly string[]).includes(app));

/** The keys of all data. For commands and tests: no app has a master key. */
export const dataKeysOf = (masters: readonly string[]): DerivedKeys =>
  new DerivedKeys(masters, { variable: 'DATA_MASTER_KEY', use: 'gangan-data-key' });

/** The value of `DATA_KEYS` for an app; empty for an app that stores nothing sealed. */
export const deriveDataKeys = (masters: readonly string[], app: string): string =>
  dataKeysOf(masters).print(neededDataKeys(app));
