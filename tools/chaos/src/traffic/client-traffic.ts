import type { CarefulClient } from './careful-client.js';
import { carryOut, type Customer } from './carry-out.js';
import type { Intent } from './intents.js';
import type { ClientAnswer } from './requests.js';
import type { Timeline } from './timeline.js';

/** The requests of the customers, and their answers. */
export class ClientTraffic {
  readonly answers: ClientAnswer[] = [];
  inFlight = 0;

  /** Begins each intent at its time, also if earlier ones have no answer yet. */
  async send(
    intents: readonly Intent[],
    customers: readonly Customer[],
    client: CarefulClient,
    timeline: Timeline,
    signal: AbortSignal,
  ): Promise<void> {
    const carry = async (intent: Intent): Promise<void> => {
      const customer = customers[intent.organisation];
      if (!customer) return;
      this.inFlight += 1;
      await carryOut(intent, customer, client, (answer) => this.answers.push(answer));
      this.inFlight -= 1;
    };
    // Only one waits at a time, because thousands of listeners of one signal are slow.
    let begun = Promise.resolve();
    const carried = intents.map((intent) => {
      begun = begun.then(() => timeline.at(intent.atMs, signal));
      return begun.then(() => carry(intent));
    });
    await Promise.all(carried);
  }
}
