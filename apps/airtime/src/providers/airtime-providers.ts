import type { OrganisationMode } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { AirtimeProvider } from './airtime-provider.js';
import { Simulator } from './simulator.js';

/** Test organisations always use the simulator; live organisations use it only with SIMULATE_LIVE. */
@Injectable()
export class AirtimeProviders {
  private readonly forLive: readonly AirtimeProvider[];

  constructor(
    private readonly simulator: Simulator,
    { SIMULATE_LIVE }: RuntimeConfig,
  ) {
    this.forLive = SIMULATE_LIVE ? [simulator] : [];
  }

  /** In the order in which they are tried. */
  forMode(mode: OrganisationMode): readonly AirtimeProvider[] {
    return mode === 'test' ? [this.simulator] : this.forLive;
  }

  findByName(name: string): AirtimeProvider | undefined {
    return [this.simulator].find((provider) => provider.name === name);
  }
}
