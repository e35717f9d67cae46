import type { Secrets } from '@gangan/providers';
import { type Command, Option } from 'commander';
import { asConfigured, invalid, wholeNumber } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';
import type { AdminSession } from '../session/session.js';
import { merge, type ProviderDefinition, settingFrom, type ShownProvider } from './definition.js';

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

type Changeable = 'settings' | 'secrets' | 'rate' | 'window' | 'registeredSenders';

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

/** @throws CommandError if a variable is empty */
export const readSecrets = ({ settings }: AdminSession, { secret = {} }: ProviderOptions): Secrets =>
  Object.fromEntries(
    Object.entries(secret).map(([name, variable]) => {
      const value = settings.variable(variable);
      if (value === undefined)
        throw new CommandError(`The variable ${variable} for the secret ${name} is empty.`);
      return [name, value];
    }),
  );

/** What the options make of a definition. @param secrets those that the options give */
export const applyOptions = (
  before: Pick<ShownProvider, Changeable>,
  options: ProviderOptions,
  secrets: Secrets,
): Pick<ProviderDefinition, Changeable> => ({
  settings: changedSettings(before.settings, options),
  secrets: Object.fromEntries(
    Object.entries({ ...before.secrets, ...secrets }).filter(
      ([name]) => !options.unsetSecret?.includes(name),
    ),
  ),
  rate: limitFrom(options.rate, before.rate),
  window: limitFrom(options.window, before.window),
  registeredSenders:
    options.registeredSenders === undefined ? before.registeredSenders : options.registeredSenders === 'yes',
});

function changedSettings(
  before: object,
  { set = [], unset = [] }: ProviderOptions,
): ProviderDefinition['settings'] {
  const removals = unset.map((path) => settingFrom(`${path}=null`) ?? {});
  const settings = [...set, ...removals].reduce<unknown>(merge, before);
  return settings as ProviderDefinition['settings'];
}

const limitFrom = (given: number | string | undefined, before: number | null): number | null =>
  given === undefined ? before : typeof given === 'number' ? given : null;
