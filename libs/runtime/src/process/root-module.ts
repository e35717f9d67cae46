import { DatabaseModule } from '@gangan/database';
import { QueueClient, Queues } from '@gangan/queue';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Health } from '../health/health.js';
import { AppLogger } from '../logging/logger.js';
import type { Launch } from './launch.js';
import { PeriodicTasksModule } from './periodic-tasks.js';

@Module({})
class PlatformModule {}

@Module({})
class RootModule {}

/** The module of the app, with the providers that every app can inject. */
export function rootModule(app: Type, launch: Launch, queues: Queues): DynamicModule {
  const { DATABASE_URL: url, DATABASE_POOL_SIZE: poolSize } = launch.config;
  return {
    module: RootModule,
    imports: [
      DatabaseModule.forRoot({ url, poolSize, name: `gangan-${launch.name}` }),
      platform(launch, queues),
      app,
    ],
  };
}

function platform(launch: Launch, queues: Queues): DynamicModule {
  const providers: Provider[] = [
    ...launch.specs.map((spec) => ({ provide: spec, useValue: launch.configs.of(spec) })),
    { provide: AppLogger, useValue: launch.logger },
    { provide: Health, useValue: launch.health },
    { provide: Registry, useValue: launch.metrics },
    { provide: Queues, useValue: queues },
    { provide: QueueClient, useValue: queues.client },
  ];
  const imports = [PeriodicTasksModule];
  return { module: PlatformModule, global: true, imports, providers, exports: providers };
}
