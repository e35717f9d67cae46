import type { ValidatorSpec } from 'envalid';
import type { ConfigSpec } from './define-config.js';
import { HttpConfig, RuntimeConfig } from './runtime-config.js';

export interface VariableDescription {
  readonly name: string;
  /** The default as it would be written, `required`, or empty for one that may be absent. */
  readonly default: string;
  readonly meaning: string;
}

/** Every variable of the runtime, then those of the given apps: the rows of the table of docs/configuration.md. */
export const describeVariables = (...apps: readonly ConfigSpec[]): VariableDescription[] =>
  [RuntimeConfig, HttpConfig, ...apps].flatMap((config: ConfigSpec) =>
    Object.entries(config.variables).map(([name, spec]) => ({
      name,
      default: defaultOf(spec),
      meaning: meaningOf(spec),
    })),
  );

function defaultOf(spec: ValidatorSpec<unknown>): string {
  if (!('default' in spec)) return 'required';
  return spec.default === undefined ? '' : JSON.stringify(spec.default).replace(/^"|"$/g, '');
}

const meaningOf = ({ desc = '', choices }: ValidatorSpec<unknown>): string =>
  choices ? `${desc} (${choices.join(', ')})` : desc;
