import { DatabaseModule } from '@gangan/database';
import { QueueClient, Queues } from '@gangan/queue';
import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { Registry } from 'prom-client';
import type { ConfigSpec } from '../config/define-config.js';
import { Health } from '../health/health.js';
import { AppLogger } from '../logging/logger.js';
import type { Launch } from './host-process.js';
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
  const configs = launch.specs.map((spec: ConfigSpec) => ({
    provide: spec,
    useValue: launch.configs.of(spec),
  }));
  const providers: Provider[] = [
    ...configs,
    { provide: AppLogger, useValue: launch.logger },
    { provide: Health, useValue: launch.health },
    { provide: Registry, useValue: launch.metrics },
    { provide: Queues, useValue: queues },
    { provide: QueueClient, useValue: queues.client },
  ];
  return {
    module: PlatformModule,
    global: true,
    imports: [PeriodicTasksModule],
    providers,
    exports: providers,
  };
}
