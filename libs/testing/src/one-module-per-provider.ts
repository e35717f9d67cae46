import { ApplicationConfig, ModuleRef, ModulesContainer } from '@nestjs/core';
import type { INestApplicationContext, Type } from '@nestjs/common';

/**
 * A class that two modules provide has two instances: two caches, two sets of metrics, two periodic tasks.
 * @throws Error if there is such a class in a module that is not exempt
 */
export function requireOneModulePerProvider(app: INestApplicationContext, exempt: readonly Type[]): void {
  const providedBy = new Map<unknown, string>();
  for (const { name, metatype, providers } of app.get(ModulesContainer).values()) {
    if (exempt.includes(metatype)) continue;
    for (const [token, { name: provider }] of providers) {
      // Nest provides these in every module.
      if (token === ModuleRef || token === ApplicationConfig) continue;
      const other = providedBy.get(token);
      if (other !== undefined)
        throw new Error(
          `${String(provider)} is provided by ${other} and ${name}: export it from one of them.`,
        );
      providedBy.set(token, name);
    }
  }
}
