import type { OrganisationMode } from '@gangan/database';
import { RuntimeConfig } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

/**
 * Whether messaging has somebody to hand an OTP to. A test organisation always has the simulator; in production a live
 * one never meets it, and nobody else is configured. Must agree with the providers of messaging.
 */
@Injectable()
export class Carriers {
  private readonly forLive: boolean;

  constructor({ isProduction }: RuntimeConfig) {
    this.forLive = !isProduction;
  }

  reach(mode: OrganisationMode): boolean {
    return mode === 'test' || this.forLive;
  }
}
