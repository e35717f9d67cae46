import type { Credit, ProviderState } from '@gangan/providers';
import { Gauge, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/** What all workers together know about a provider. */
export interface ProviderFigures {
  readonly provider: string;
  readonly state: ProviderState;
  readonly rate: number;
  readonly credit: Credit | undefined;
}

const states: readonly ProviderState[] = ['up', 'open', 'paused'];

@Injectable()
export class ProviderMetrics {
  private readonly state: Gauge<'provider' | 'state'>;
  private readonly rate: Gauge<'provider'>;
  private readonly credit: Gauge<'provider' | 'currency'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.state = new Gauge({
      name: 'gangan_delivery_provider_state',
      help: '1 for the state of a provider: up, open (it keeps failing) or paused (it refuses our account)',
      labelNames: ['provider', 'state'],
      registers,
    });
    this.rate = new Gauge({
      name: 'gangan_delivery_provider_rate',
      help: 'Recipients per second that a provider gets from all workers; 0 means no limit',
      labelNames: ['provider'],
      registers,
    });
    this.credit = new Gauge({
      name: 'gangan_delivery_provider_credit',
      help: 'What we have left at a provider, as it said, in units of the currency',
      labelNames: ['provider', 'currency'],
      registers,
    });
  }

  /** @param all every configured provider; the series of others are removed */
  set(all: readonly ProviderFigures[]): void {
    this.state.reset();
    this.rate.reset();
    this.credit.reset();
    for (const { provider, state, rate, credit } of all) {
      if (credit) this.credit.set({ provider, currency: credit.currency }, Number(credit.micros) / 1_000_000);
      for (const each of states) this.state.set({ provider, state: each }, each === state ? 1 : 0);
      this.rate.set({ provider }, rate);
    }
  }
}
