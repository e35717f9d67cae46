import type { Contract } from '@gangan/protocol';
import { compareKeys } from '@gangan/queue';
import { neededDataKeys } from '@gangan/sealing';
import { DataKeysConfig } from './data-variables.js';
import type { ConfigFault, Configs, ConfigSpec } from './define-config.js';
import { RuntimeConfig } from './runtime-config.js';

interface KeyedApp {
  readonly name: string;
  /** What it sends and serves. */
  readonly contracts: readonly Contract[];
}

interface Compared {
  readonly variable: string;
  readonly config: ConfigSpec;
  /** The names of the keys, such as `gateway/otp`. */
  readonly missing: readonly string[];
  readonly unneeded: readonly string[];
}

/** The keys that an app has, compared with those that it needs: a new version may need further ones. */
function compare({ name, contracts }: KeyedApp, configs: Configs): Compared[] {
  const needed = neededDataKeys(name);
  return [
    {
      variable: 'QUEUE_KEYS',
      config: RuntimeConfig,
      ...compareKeys(configs.of(RuntimeConfig).QUEUE_KEYS, name, contracts),
    },
    ...(needed.length > 0
      ? [
          {
            variable: 'DATA_KEYS',
            config: DataKeysConfig,
            ...configs.of(DataKeysConfig).DATA_KEYS.compareWith(needed),
          },
        ]
      : []),
  ];
}

export const missingKeys = (app: KeyedApp, configs: Configs): ConfigFault[] =>
  compare(app, configs)
    .filter(({ missing }) => missing.length > 0)
    .map(({ variable, config, missing }) => {
      const { desc: meaning = '', example } = config.variables[variable] ?? {};
      const problem = `has no key for ${missing.join(', ')}: derive the keys of this app again, with this version`;
      return { name: variable, problem, meaning, example };
    });

/** The keys that the app does not need, by the variable that has them. */
export const unneededKeys = (app: KeyedApp, configs: Configs) =>
  compare(app, configs).filter(({ unneeded }) => unneeded.length > 0);
