import { fileVariable } from './secret-files.js';

/** Secrets that only these apps read. A test compares them with the configuration of each app. */
const readers: Readonly<Record<string, readonly string[]>> = {
  DATA_KEYS: ['messaging', 'otp', 'airtime', 'lookup', 'callback'],
  OTP_PEPPER: ['otp'],
  DEBUG_TOKEN: ['gateway'],
  BACKUP_KEY: [],
  LOOKUP_PROVIDER_SECRET: ['lookup'],
  QUEUE_KEY: ['gateway', 'messaging'],
  // Only commands read it.
  QUEUE_MASTER_KEY: [],
  DATA_MASTER_KEY: [],
};

/** The variable that holds for one app only: `OTP__LOG_LEVEL` instead of `LOG_LEVEL`. */
export const appVariable = (app: string, name: string): string => `${app.toUpperCase()}__${name}`;

const appPrefix = /^[A-Z]+__/;

/** A variable and its file are two ways to give one value. */
const valueName = (name: string): string => name.replace(/_FILE$/, '');

/**
 * What one app gets of an environment: its own variables, which replace the shared ones, and everything else but the
 * variables and secrets of other apps, and the files that contain them.
 */
export function inheritedBy(app: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const prefix = appVariable(app, '');
  const variables = Object.entries(environment);
  const own = variables
    .filter(([name, value]) => name.startsWith(prefix) && value?.trim())
    .map(([name, value]) => [name.slice(prefix.length), value] as const);
  const replaced = new Set(own.map(([name]) => valueName(name)));
  const shared = variables.filter(([name]) => !appPrefix.test(name) && !replaced.has(valueName(name)));
  return Object.fromEntries(
    [...shared, ...own].filter(([name]) => readers[valueName(name)]?.includes(app) ?? true),
  );
}

/** The name under which the environment has a variable of an app, or should have it if it is missing. */
export function nameInEnvironment(app: string, name: string, environment: NodeJS.ProcessEnv): string {
  const isSet = (candidate: string): boolean =>
    [candidate, fileVariable(candidate)].some((variable) => environment[variable]?.trim());
  const own = appVariable(app, name);
  const isSetPerApp = Object.keys(environment).some((key) => key.replace(appPrefix, '') === name);
  return isSet(own) || (isSetPerApp && !isSet(name)) ? own : name;
}
