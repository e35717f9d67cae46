import type { Channel, OrganisationMode } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { MessageProvider } from './message-provider.js';
import { Simulator } from './simulator.js';

/** Test organisations always use the simulator; live organisations use it only with SIMULATE_LIVE. */
@Injectable()
export class Providers {
  private readonly byName: ReadonlyMap<string, MessageProvider>;
  private readonly live: readonly MessageProvider[];

  constructor(
    private readonly simulator: Simulator,
    { SIMULATE_LIVE }: RuntimeConfig,
  ) {
    this.byName = new Map([[simulator.name, simulator]]);
    this.live = SIMULATE_LIVE ? [simulator] : [];
  }

  /** The providers of one round, in the order in which they are tried. */
  roundFor(mode: OrganisationMode, channel: Channel): readonly MessageProvider[] {
    const providers = mode === 'test' ? [this.simulator] : this.live;
    return providers.filter(({ channels }) => channels.includes(channel));
  }

  find(name: string): MessageProvider | undefined {
    return this.byName.get(name);
  }
}
