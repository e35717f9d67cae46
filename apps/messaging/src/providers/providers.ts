import type { Channel, OrganisationMode } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { MessageProvider } from './message-provider.js';
import { Simulator } from './simulator.js';

/** Who sends messages. A test organisation never leaves the simulator; a live one never meets it in production. */
@Injectable()
export class Providers {
  private readonly byName: ReadonlyMap<string, MessageProvider>;
  private readonly forLive: readonly MessageProvider[];

  constructor(
    private readonly simulator: Simulator,
    { isProduction }: RuntimeConfig,
  ) {
    this.byName = new Map([[simulator.name, simulator]]);
    this.forLive = isProduction ? [] : [simulator];
  }

  /** In the order in which they are tried. */
  of(mode: OrganisationMode, channel: Channel): readonly MessageProvider[] {
    const candidates = mode === 'test' ? [this.simulator] : this.forLive;
    return candidates.filter(({ channels }) => channels.includes(channel));
  }

  named(name: string): MessageProvider | undefined {
    return this.byName.get(name);
  }
}
