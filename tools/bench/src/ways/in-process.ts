import { Database } from '@gangan/database';
import type { Receipt } from '../charge/charge.contract.js';
import { chargeMany } from '../charge/charge-many.js';
import { type Order, toOrder } from '../charge/order.js';
import { databasePool, type Way } from './way.js';

interface Waiting {
  readonly order: Order;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const statementsInFlight = 4;
const maxBatch = 64;

/** Batches without a queue: the most that batching alone can give. */
class Batches {
  private waiting: Waiting[] = [];
  private inFlight = 0;
  private scheduled = false;

  constructor(private readonly database: Database) {}

  charge(order: Order): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ order, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.waiting.length > 0 && this.inFlight < statementsInFlight)
        void this.run(this.waiting.splice(0, maxBatch));
    });
  }

  private async run(batch: readonly Waiting[]): Promise<void> {
    this.inFlight += 1;
    try {
      const results = await chargeMany(
        this.database,
        batch.map(({ order }) => order),
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result === undefined || result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.inFlight -= 1;
      this.schedule();
    }
  }
}

export const way: Way = {
  gateway: ({ databaseUrl }) => {
    const batches = new Batches(new Database({ url: databaseUrl, poolSize: databasePool }));
    return Promise.resolve((charge, context) => batches.charge(toOrder(charge, context)));
  },
};
