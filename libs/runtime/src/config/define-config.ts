import type { CleanedEnv, ValidatorSpec } from 'envalid';

/** Environment variables by name: how each is read, what it means, its default and an example. */
export type Variables = Readonly<Record<string, ValidatorSpec<unknown>>>;

type ValuesOf<V extends Variables> = Readonly<Pick<CleanedEnv<V>, keyof V & keyof CleanedEnv<V>>>;

/** A class that holds the values of some variables; the class itself is the token to inject it by. */
export interface ConfigSpec<T extends object = object> {
  new (values: Readonly<Record<string, unknown>>): T;
  readonly variables: Variables;
}

/**
 * Declares the variables of an app:
 * `export class CallbackConfig extends defineConfig({ CALLBACK_ALLOW_PRIVATE: bool({ … }) }) {}`.
 * Give it to `runWorker` or `runGateway`, and inject `CallbackConfig` wherever a value is needed.
 */
export function defineConfig<V extends Variables>(variables: V): ConfigSpec<ValuesOf<V>> {
  class Config {
    static readonly variables = variables;

    constructor(values: Readonly<Record<string, unknown>>) {
      Object.freeze(Object.assign(this, values));
    }

    /** Whoever logs a whole configuration writes down which variables there are, not the secrets in them. */
    toJSON(): readonly string[] {
      return Object.keys(variables);
    }
  }
  return Config as unknown as ConfigSpec<ValuesOf<V>>;
}
