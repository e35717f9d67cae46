import { fileVariable, readSecretFiles } from '@gangan/protocol';
import { type CleanedEnv, cleanEnv, EnvMissingError, type ValidatorSpec } from 'envalid';

/** How a variable is read, what it means, its default and an example. `secret` says that a file may contain its value. */
export type Variable = ValidatorSpec<unknown> & { readonly secret?: true };

export type Variables = Readonly<Record<string, Variable>>;

type ValuesOf<V extends Variables> = Readonly<Pick<CleanedEnv<V>, keyof V & keyof CleanedEnv<V>>>;

/** A class that holds the values of some variables. The class itself is its injection token. */
export interface ConfigSpec<T extends object = object> {
  new (values: Readonly<Record<string, unknown>>): T;
  readonly variables: Variables;
  /** What is wrong with valid values together, by the variable to correct. */
  conflicts?(values: T): Readonly<Record<string, string>>;
}

/**
 * Declares the variables of an app. Pass the class to `runWorker` or `runGateway`, and inject it where a value is needed.
 * ```ts
 * export class CallbackConfig extends defineConfig({ CALLBACK_ALLOW_PRIVATE: bool({ … }) }) {}
 * ```
 */
export function defineConfig<V extends Variables>(variables: V): ConfigSpec<ValuesOf<V>> {
  class Config {
    static readonly variables = variables;

    constructor(values: Readonly<Record<string, unknown>>) {
      Object.freeze(Object.assign(this, values));
    }

    /** A log line with a whole configuration shows the names of its variables, not the secrets in them. */
    toJSON(): readonly string[] {
      return Object.keys(variables);
    }
  }
  return Config as unknown as ConfigSpec<ValuesOf<V>>;
}

/** The values that a process runs with, by the class that declares them. */
export class Configs {
  constructor(private readonly values: Readonly<Record<string, unknown>>) {}

  of<T extends object>(spec: ConfigSpec<T>): T {
    const own = Object.keys(spec.variables).map((name) => [name, this.values[name]]);
    return new spec(Object.fromEntries(own) as Record<string, unknown>);
  }
}

/** A variable with a missing or invalid value. It never contains the value, which may be secret. */
export interface ConfigFault {
  readonly name: string;
  readonly problem: string;
  readonly meaning: string;
  readonly example: string | undefined;
}

export class InvalidConfig extends Error {
  override readonly name = 'InvalidConfig';

  constructor(readonly faults: readonly ConfigFault[]) {
    super(`${faults.length} environment variables are missing or invalid`);
  }

  paragraphs(): string[] {
    return this.faults.map(printFault);
  }

  /** One block that names every fault, so that all can be corrected at once. */
  print(app: string): string {
    const need =
      this.faults.length === 1
        ? 'One environment variable needs'
        : `${this.faults.length} environment variables need`;
    return `\n${app} cannot start. ${need} your attention:\n\n${this.paragraphs().join('\n')}\n`;
  }
}

/** Reads the variables of all given classes. @throws InvalidConfig with every fault */
export function readConfig(specs: readonly ConfigSpec[], environment: NodeJS.ProcessEnv): Configs {
  const variables: Variables = Object.assign({}, ...specs.map((spec) => spec.variables)) as Variables;
  const secrets = Object.keys(variables).filter((name) => variables[name]?.secret);
  const given = readSecretFiles(withoutBlanks(environment), secrets);
  const fileFaults = given.faults.map((fault) => ({
    ...fault,
    meaning: fileMeaning(fault.name),
    example: undefined,
  }));
  const values = cleanEnv(given.environment, variables, {
    reporter: ({ errors }) => {
      const faults = Object.entries(errors as Record<string, Error>)
        .filter(([name]) => !fileFaults.some((fault) => fault.name === fileVariable(name)))
        .map(([name, error]) => faultOf(name, error, variables[name]));
      if (faults.length + fileFaults.length > 0) throw new InvalidConfig([...fileFaults, ...faults]);
    },
  });
  const configs = new Configs(values);
  const conflicts = specs.flatMap((spec) => Object.entries(spec.conflicts?.(configs.of(spec)) ?? {}));
  const faults = conflicts.map(([name, problem]) => faultOf(name, new Error(problem), variables[name]));
  if (faults.length > 0) throw new InvalidConfig(faults);
  return configs;
}

export const fileMeaning = (name: string): string =>
  `The file that contains the value of ${name.replace(/_FILE$/, '')}`;

/** `REDIS_URL=` in a compose file means: not set. */
const withoutBlanks = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));

function faultOf(name: string, error: Error, spec: Variable | undefined): ConfigFault {
  const choices = spec?.choices && `must be one of: ${spec.choices.join(', ')}`;
  const problem = error instanceof EnvMissingError ? 'is missing' : (choices ?? error.message);
  return { name, problem, meaning: spec?.desc ?? '', example: spec?.example };
}

const printFault = ({ name, problem, meaning, example }: ConfigFault): string =>
  [`  ${name} ${problem}`, `    ${meaning}`, ...(example ? [`    Example: ${example}`] : []), ''].join('\n');
