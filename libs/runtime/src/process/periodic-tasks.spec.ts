import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { Global, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppLogger } from '../logging/logger.js';
import { Periodic, PeriodicTasksModule } from './periodic-tasks.js';

@Injectable()
class Gardener {
  readonly done: string[] = [];

  @Periodic('watering', 1)
  async water(): Promise<boolean> {
    await pause(0);
    this.done.push('watered');
    return false;
  }

  @Periodic('weeding', 3_600_000)
  weed(): Promise<boolean> {
    this.done.push('weeded');
    return Promise.resolve(this.done.filter((what) => what === 'weeded').length < 3);
  }

  rest(): void {
    this.done.push('rested');
  }
}

@Injectable()
class HeadGardener extends Gardener {}

const hired = Symbol('hired');

@Global()
@Module({
  imports: [PeriodicTasksModule],
  providers: [
    Gardener,
    HeadGardener,
    { provide: 'the same one', useExisting: Gardener },
    { provide: hired, useFactory: () => new Gardener() },
    { provide: AppLogger, useValue: { info: () => undefined, warn: () => undefined } },
  ],
  exports: [AppLogger],
})
class Garden {}

describe('periodic tasks', () => {
  it('run once for each provider while the app runs, and end with it', async () => {
    const app = await NestFactory.createApplicationContext(Garden, { logger: false });
    await app.init();
    const gardeners = [app.get(Gardener), app.get(HeadGardener), app.get<Gardener>(hired)];
    await until('every task has run six times', () => gardeners.every(({ done }) => done.length >= 6));
    await app.close();
    const done = gardeners.map((gardener) => [...gardener.done]);
    await pause(20);
    for (const [index, { done: later }] of gardeners.entries()) {
      expect(later).toEqual(done[index]);
      expect(later.filter((what) => what === 'weeded')).toHaveLength(3);
      expect(later).not.toContain('rested');
    }
  });
});
