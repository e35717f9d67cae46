import { setTimeout as pause } from 'node:timers/promises';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Module } from '@nestjs/common';
import { Health, type HealthReport, runGateway } from '@gangan/runtime';
import { echo, shout } from '../support/contracts.js';

@Controller()
class FrontController {
  constructor(
    private readonly queue: QueueClient,
    private readonly health: Health,
  ) {}

  @Get('echo')
  echo() {
    return this.queue.send(echo, { text: 'hello', afterMs: 0 });
  }

  @Get('slow')
  async slow(): Promise<string> {
    await pause(1_000);
    return 'finished';
  }

  @Get('readyz')
  readyz(): Promise<HealthReport> {
    return this.health.ready();
  }
}

@Module({ controllers: [FrontController] })
class FrontModule {}

await runGateway({
  name: 'gateway',
  module: FrontModule,
  sends: [echo, shout],
  server: () => ({ requestTimeout: 15_000 }),
  configure: (app) => {
    app.setGlobalPrefix('v');
  },
});
