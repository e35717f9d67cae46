import type { Credit, ProviderState } from '@gangan/providers';
import { Counter, Gauge, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** What all workers together know about a provider. */
export interface ProviderFigures {
  readonly provider: string;
  readonly state: ProviderState;
  readonly credit: Credit | undefined;
}

const states: readonly ProviderState[] = ['up', 'open', 'paused'];

@Injectable()
export class AirtimeMetrics {
  readonly ended: Counter<'outcome'>;
  readonly losses: Counter;
  private readonly state: Gauge<'provider' | 'state'>;
  private readonly credit: Gauge<'provider' | 'currency'>;

  constructor(registry: Registry) {
    this.ended = new Counter({
      name: 'gangan_airtime_ended_total',
      help: 'Finished purchases, by outcome; an error has to be resolved by an operator',
      labelNames: ['outcome'],
      registers: [registry],
    });
    this.losses = new Counter({
      name: 'gangan_airtime_losses_total',
      help: 'Purchases that were delivered after their refund',
      registers: [registry],
    });
    this.state = new Gauge({
      name: 'gangan_airtime_provider_state',
      help: '1 for the state of a provider: up, open (it keeps failing) or paused (it refuses our account)',
      labelNames: ['provider', 'state'],
      registers: [registry],
    });
    this.credit = new Gauge({
      name: 'gangan_airtime_provider_credit',
      help: 'What we have left at a provider, as it said, in units of the currency',
      labelNames: ['provider', 'currency'],
      registers: [registry],
    });
  }

  /** @param all every configured provider; the series of others are removed */
  setProviders(all: readonly ProviderFigures[]): void {
    this.state.reset();
    this.credit.reset();
    for (const { provider, state, credit } of all) {
      for (const each of states) this.state.set({ provider, state: each }, each === state ? 1 : 0);
      if (credit) this.credit.set({ provider, currency: credit.currency }, Number(credit.micros) / 1_000_000);
    }
  }
}
