import { type Abstract, type DynamicModule, Module, type Type } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';

export type { TestingModule };

@Module({})
class ValuesModule {}

/** What the app injects for a token. */
export interface InjectedValue {
  readonly provide: Abstract<object>;
  readonly useValue: object;
}

/** A value that is injected for a class. It needs only the members that a test uses. */
export const valueFor = <T extends object>(
  provide: Abstract<T>,
  useValue: Partial<NoInfer<T>>,
): InjectedValue => ({ provide, useValue });

/** A class that `defineConfig` of `libs/runtime` made. */
interface Config<T extends object> {
  new (values: Readonly<Record<string, unknown>>): T;
  readonly variables: Readonly<Record<string, { readonly default?: unknown }>>;
}

/** The configuration of an app: these values, and the defaults of all other variables. */
export function configFor<T extends object>(
  spec: Config<T>,
  values: Partial<NoInfer<T>> = {},
): InjectedValue {
  const defaults = Object.entries(spec.variables).map(([name, variable]) => [name, variable.default]);
  return { provide: spec, useValue: new spec({ ...(Object.fromEntries(defaults) as object), ...values }) };
}

/**
 * Creates the providers of an app with Nest's testing module.
 * ```ts
 * const module = await createTestModule(OtpModule, [valueFor(Database, database), configFor(OtpConfig), …]);
 * const requests = module.get(RequestService);
 * ```
 * Lifecycle hooks do not run, so no periodic task and no lease starts: call the hook of a provider, or `module.init()`.
 *
 * @param values what every process injects (the database, the logger, the configuration, the queues, …), and replacements for
 *   providers of the app
 */
export async function createTestModule(app: Type, values: readonly InjectedValue[]): Promise<TestingModule> {
  // Only tests load it, not the other tools that import this library.
  const { Test } = await import('@nestjs/testing');
  const { requireOneModulePerProvider } = await import('./one-module-per-provider.js');
  const providers = [...values];
  const injected: DynamicModule = { module: ValuesModule, global: true, providers, exports: providers };
  const builder = Test.createTestingModule({ imports: [injected, app] });
  for (const { provide, useValue } of values) builder.overrideProvider(provide).useValue(useValue);
  const module = await builder.compile();
  // What a test injects may replace a provider of the app.
  requireOneModulePerProvider(module, [ValuesModule]);
  return module;
}
