import type { ProviderChanges } from '@gangan/management';
import { type Command, Option } from 'commander';
import { asConfigured, invalid, wholeNumber } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';

/** The options of `add` and `set`. */
export interface ProviderOptions {
  readonly set?: readonly object[];
  readonly unset?: readonly string[];
  readonly secret?: Readonly<Record<string, string>>;
  readonly unsetSecret?: readonly string[];
  readonly rate?: number | typeof asConfigured;
  readonly window?: number | typeof asConfigured;
  readonly registeredSenders?: 'yes' | 'no';
}

const orDefault =
  (min: number, max: number) =>
  (text: string): number | typeof asConfigured =>
    text === asConfigured ? asConfigured : wholeNumber(min, max)(text);

export function addOptions(command: Command): Command {
  return command
    .option(
      '--set <path=value>',
      'a setting, such as request.url=https://…; repeatable',
      (given: string, before: readonly object[] | undefined) => [
        ...(before ?? []),
        settingFrom(given) ?? invalid('Use a path and a value, such as request.json.channel=generic.'),
      ],
    )
    .option(
      '--secret <name=VARIABLE>',
      'a secret, from the environment variable (or the file in VARIABLE_FILE); repeatable',
      (given: string, before: Readonly<Record<string, string>> | undefined) => {
        const [, name = '', variable = ''] = /^([a-z][a-z0-9_]*)=([A-Za-z_][A-Za-z0-9_]*)$/.exec(given) ?? [];
        if (name === '') return invalid('Use a name and a variable, such as api_key=TERMII_API_KEY.');
        return { ...before, [name]: variable };
      },
    )
    .option(
      '--rate <n>',
      'recipients per second over all workers, 0 for no limit, or default',
      orDefault(0, 1_000_000),
    )
    .option('--window <n>', 'requests in flight per worker, or default', orDefault(1, 1_000))
    .addOption(
      new Option(
        '--registered-senders <yes|no>',
        'whether it accepts only senders that are registered there',
      ).choices(['yes', 'no']),
    );
}

/** The changes that the options ask for. @throws CommandError if the variable of a secret is empty */
export function readChanges({ settings }: AdminSession, options: ProviderOptions): ProviderChanges {
  const { set = [], unset = [], secret = {}, unsetSecret = [], rate, window, registeredSenders } = options;
  const secrets = Object.entries(secret).map(([name, variable]) => {
    const value = settings.variable(variable);
    if (value !== undefined) return [name, value] as const;
    throw new CommandError(`The variable ${variable} for the secret ${name} is empty.`);
  });
  return {
    settings: [...set, ...unset.map((path) => settingFrom(`${path}=null`) ?? {})],
    secrets: Object.fromEntries([...secrets, ...unsetSecret.map((name) => [name, null] as const)]),
    ...(rate !== undefined && { rate: rate === asConfigured ? null : rate }),
    ...(window !== undefined && { window: window === asConfigured ? null : window }),
    ...(registeredSenders !== undefined && { registeredSenders: registeredSenders === 'yes' }),
  };
}

/** `request.json.channel=generic` as an object. The value is JSON if it can be read as JSON, else a text. */
function settingFrom(assignment: string): object | undefined {
  const [, path = '', given = ''] = /^([A-Za-z0-9_.-]+)=(.*)$/s.exec(assignment) ?? [];
  if (path === '') return undefined;
  return path
    .split('.')
    .reduceRight<unknown>((value, name) => ({ [name]: value }), readValue(given)) as object;
}

/** A long id stays a text, because JSON.parse would round it. */
function readValue(text: string): unknown {
  if (/^\d{16,}$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
