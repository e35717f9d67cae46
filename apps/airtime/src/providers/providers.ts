import type { OrganisationMode } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { AirtimeProvider } from './airtime-provider.js';
import { Simulator } from './simulator/simulator.js';

/** Who tops numbers up. A test organisation never leaves the simulator; a live one never meets it in production. */
@Injectable()
export class Providers {
  private readonly byName: ReadonlyMap<string, AirtimeProvider>;
  private readonly forLive: readonly AirtimeProvider[];

  constructor(
    private readonly simulator: Simulator,
    { isProduction }: RuntimeConfig,
  ) {
    this.byName = new Map([[simulator.name, simulator]]);
    this.forLive = isProduction ? [] : [simulator];
  }

  /** In the order in which they are tried. */
  of(mode: OrganisationMode): readonly AirtimeProvider[] {
    return mode === 'test' ? [this.simulator] : this.forLive;
  }

  named(name: string): AirtimeProvider | undefined {
    return this.byName.get(name);
  }
}
