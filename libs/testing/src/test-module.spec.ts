import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { configFor, createTestModule, valueFor } from './test-module.js';

class Config {
  static readonly variables = { REGION: { default: 'NG' }, SLOTS: { default: 8 } };
  readonly REGION: string;
  readonly SLOTS: number;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.REGION = String(values['REGION']);
    this.SLOTS = Number(values['SLOTS']);
  }
}

class Clock {
  now = () => 2;
  zone = () => 'UTC';
}

@Injectable()
class Greeter implements OnModuleInit {
  isInitialised = false;

  constructor(
    readonly clock: Clock,
    readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.isInitialised = true;
  }
}

@Module({ providers: [Greeter] })
class PartModule {}

@Module({ providers: [Greeter] })
class OtherPartModule {}

@Module({ imports: [PartModule, OtherPartModule] })
class RepeatingModule {}

@Module({ imports: [PartModule], providers: [Clock] })
class AppModule {}

const create = () =>
  createTestModule(AppModule, [valueFor(Clock, { now: () => 1 }), configFor(Config, { SLOTS: 2 })]);

describe('a test module', () => {
  it('injects the given values everywhere, also instead of providers of the app', async () => {
    const module = await create();
    expect(module.get(Greeter).clock.now()).toBe(1);
    expect(module.get(Clock)).toBe(module.get(Greeter).clock);
  });

  it('uses the default of each variable that has no value', async () => {
    const { config } = (await create()).get(Greeter);
    expect(config).toEqual({ REGION: 'NG', SLOTS: 2 });
  });

  it('rejects an app in which two modules provide the same class', async () => {
    const module = createTestModule(RepeatingModule, [valueFor(Clock, {}), configFor(Config)]);
    await expect(module).rejects.toThrow('Greeter is provided by PartModule and OtherPartModule');
  });

  it('runs no lifecycle hooks until it is initialised', async () => {
    const module = await create();
    expect(module.get(Greeter).isInitialised).toBe(false);
    await module.init();
    expect(module.get(Greeter).isInitialised).toBe(true);
    await module.close();
  });
});
