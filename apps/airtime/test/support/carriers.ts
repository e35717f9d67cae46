import type { AirtimeProvider } from '../../src/providers/airtime-provider.js';
import type { Carrier, Fate, QueryBehaviour } from './simulated-carrier.js';

/** The providers of a route, and what really happened at all of them together. */
export class Carriers {
  constructor(private readonly all: readonly Carrier[]) {}

  get providers(): readonly AirtimeProvider[] {
    return this.all.map(({ provider }) => provider);
  }

  /** How the next submissions go at each of them. */
  decide(fates: readonly Fate[]): void {
    for (const [index, carrier] of this.all.entries()) carrier.fate = fates[index] ?? 'succeeds';
  }

  get queries(): QueryBehaviour {
    return this.all[0]?.queries ?? 'answers';
  }

  set queries(behaviour: QueryBehaviour) {
    for (const carrier of this.all) carrier.queries = behaviour;
  }

  truth(id: string): 'delivered' | 'refused' | undefined {
    const found = this.all.map(({ truth }) => truth.get(id));
    return found.find((truth) => truth === 'delivered') ?? found.find((truth) => truth !== undefined);
  }

  /** How often a purchase was sent in a way that may have had an effect. */
  sent(id: string): number {
    return this.all.reduce((sum, { sent }) => sum + (sent.get(id) ?? 0), 0);
  }

  isReported(id: string): boolean {
    return this.all.some(({ reported }) => reported.has(id));
  }

  get callsInFlight(): number {
    return this.all.reduce((sum, { callsInFlight }) => sum + callsInFlight, 0);
  }

  oneArrivesLate(): string | undefined {
    return this.all.find(({ callsInFlight }) => callsInFlight > 0)?.oneArrivesLate();
  }
}
