import type { Channel } from '@gangan/contracts';
import { Database, type OrganisationMode } from '@gangan/database';
import {
  decideRoute,
  readRoutableProviders,
  readRoutes,
  type RouteTable,
  routeTable,
} from '@gangan/providers';
import { Periodic, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';

/** Changes apply within 5 s. */
const refreshMs = 2_000;

export interface RoutedOtp {
  readonly id: string;
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly channel: Channel;
  readonly recipient: string;
}

/** Whether messaging, which delivers OTPs, has a provider for one. */
@Injectable()
export class OtpRoutes implements OnModuleInit {
  private table: RouteTable = routeTable([], []);

  constructor(
    private readonly database: Database,
    private readonly runtime: RuntimeConfig,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.refresh();
  }

  @Periodic('reading routes', refreshMs)
  async refresh(): Promise<boolean> {
    const routes = await readRoutes(this.database);
    this.table = routeTable(routes, await readRoutableProviders(this.database));
    return false;
  }

  hasProvider({ mode, ...otp }: RoutedOtp): boolean {
    if (mode === 'test' || this.runtime.SIMULATE_LIVE) return true;
    return decideRoute(this.table, { ...otp, category: 'otp' }).providers.length > 0;
  }
}
