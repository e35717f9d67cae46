import { cleanEnv } from 'envalid';
import type { ConfigSpec, Variables } from './define-config.js';
import { faultOf, InvalidConfig } from './invalid-config.js';

/** The values that a process runs with, by the class that declares them. */
export class Configs {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  of<T extends object>(spec: ConfigSpec<T>): T {
    const own = Object.keys(spec.variables).map((name) => [name, this.values[name]]);
    return new spec(Object.fromEntries(own) as Record<string, unknown>);
  }
}

/** Reads the variables of all given classes at once, so that every fault is found at once. */
export function readConfig(specs: readonly ConfigSpec[], environment: NodeJS.ProcessEnv): Configs {
  const variables: Variables = Object.assign({}, ...specs.map((spec) => spec.variables)) as Variables;
  const values = cleanEnv(withoutBlanks(environment), variables, {
    reporter: ({ errors }) => {
      const faults = Object.entries(errors as Record<string, Error>).map(([name, error]) =>
        faultOf(name, error, variables[name]),
      );
      if (faults.length > 0) throw new InvalidConfig(faults);
    },
  });
  return new Configs(values);
}

/** `REDIS_URL=` in a compose file means: not set. */
const withoutBlanks = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
