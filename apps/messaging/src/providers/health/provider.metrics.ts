import type { ProviderState } from '@gangan/providers';
import { Gauge, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

const states: readonly ProviderState[] = ['up', 'open', 'paused'];

@Injectable()
export class ProviderMetrics {
  private readonly state: Gauge<'provider' | 'state'>;
  private readonly rate: Gauge<'provider'>;

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
  }

  /** Of all providers: others are no longer configured. */
  set(
    all: readonly { readonly provider: string; readonly state: ProviderState; readonly rate: number }[],
  ): void {
    this.state.reset();
    this.rate.reset();
    for (const { provider, state, rate } of all) {
      for (const each of states) this.state.set({ provider, state: each }, each === state ? 1 : 0);
      this.rate.set({ provider }, rate);
    }
  }
}
