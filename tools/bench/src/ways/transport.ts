import 'reflect-metadata';
import { Database, DatabaseModule, StatementLoader } from '@gangan/database';
import type { RequestContext } from '@gangan/protocol';
import {
  ErrorPassthroughFilter,
  Handles,
  MasterKeys,
  type QueueLogger,
  Queues,
  type QueueSettings,
} from '@gangan/queue';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as pause } from 'node:timers/promises';
import { firstValueFrom } from 'rxjs';
import { Charge, chargeWallet, type Receipt } from '../charge/charge.contract.js';
import { chargeMany } from '../charge/charge-many.js';
import { type Order, toOrder } from '../charge/order.js';
import { databasePool, type Way, type WaySettings } from './way.js';

@Controller()
class ChargeHandler {
  private readonly charges: StatementLoader<Order, Receipt>;

  constructor(database: Database) {
    this.charges = new StatementLoader((orders) => chargeMany(database, orders));
  }

  @Handles(chargeWallet)
  charge(charge: Charge, context: RequestContext): Promise<Receipt> {
    return this.charges.load(toOrder(charge, context));
  }
}

const reportError = (details: object, message: string): void => {
  console.error(message, details);
};
const logger: QueueLogger = { info: () => undefined, warn: reportError, error: reportError };

/** The settings reach this process as JSON. */
const settingsOf = (app: string, { masterKey, ...settings }: WaySettings['queue']): QueueSettings => ({
  ...settings,
  app,
  keys: new MasterKeys([masterKey]),
});

/** This project: batches through BullMQ, one statement per batch. */
export const way: Way = {
  gateway: async ({ queue }) => {
    const queues = await Queues.open(settingsOf('gateway', queue), 'producer', logger);
    while (!queues.client.listening) await pause(20);
    return (charge, context) => firstValueFrom(queues.client.send(chargeWallet, charge, context));
  },

  worker: async ({ databaseUrl, queue }) => {
    @Module({
      imports: [DatabaseModule.forRoot({ url: databaseUrl, poolSize: databasePool })],
      controllers: [ChargeHandler],
    })
    class BenchModule {}

    const queues = await Queues.open(settingsOf(chargeWallet.servedBy, queue), 'worker', logger);
    queues.server.requireHandlers([chargeWallet]);
    const app = await NestFactory.createMicroservice(BenchModule, {
      strategy: queues.server,
      logger: ['warn', 'error', 'fatal'],
    });
    app.useGlobalFilters(new ErrorPassthroughFilter());
    await app.listen();
  },
};
