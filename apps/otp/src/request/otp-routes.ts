import type { Channel, DeliveryText } from '@gangan/contracts';
import { Database, type OrganisationMode, retryTransient } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import {
  decideRoute,
  noRouteError,
  portedNumberReader,
  readRoutableProviders,
  readRoutes,
  type RouteTable,
  routeTable,
  SenderRegistrationReader,
  UnusableTemplates,
} from '@gangan/providers';
import { Periodic, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { unusableChannel } from '../otp.errors.js';

/** Changes apply within 5 s. */
const refreshMs = 3_000;

export interface RoutedOtp {
  readonly id: string;
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly channel: Channel;
  /** The default sender of the organisation. */
  readonly sender: string;
  readonly recipient: string;
  /** Only on WhatsApp. */
  readonly template?: DeliveryText['template'] | undefined;
}

/** Whether messaging, which delivers OTPs, has a provider for one. */
@Injectable()
export class OtpRoutes implements OnModuleInit {
  private readonly senders: SenderRegistrationReader;
  private readonly readPorted: ReturnType<typeof portedNumberReader>;
  private table: RouteTable = routeTable([], []);
  private unusableTemplates = new UnusableTemplates([]);

  constructor(
    private readonly database: Database,
    private readonly runtime: RuntimeConfig,
  ) {
    this.senders = new SenderRegistrationReader(database);
    this.readPorted = portedNumberReader(database);
  }

  /** The app does not start before it has read its routes. */
  async onModuleInit(): Promise<void> {
    await retryTransient(() => this.refresh(), { maxAttempts: Infinity, delayMs: () => 500 });
  }

  @Periodic('reading routes', refreshMs)
  async refresh(): Promise<boolean> {
    const routes = await readRoutes(this.database);
    const providers = await readRoutableProviders(this.database);
    this.table = routeTable(routes, providers, await this.senders.read());
    this.unusableTemplates = await UnusableTemplates.read(this.database);
    return false;
  }

  /** 503 if it has no provider, 400 if none may get the sender, or none may send the template. */
  async findError({ mode, template, ...otp }: RoutedOtp): Promise<AppError | undefined> {
    if (mode === 'test' || this.runtime.SIMULATE_LIVE) return undefined;
    const { table } = this;
    const ported = table.namesOperators ? await this.readPorted([otp.recipient]) : undefined;
    const subject = { category: 'otp', portedTo: ported?.get(otp.recipient) ?? null, ...otp } as const;
    const { providers } = decideRoute(table, subject);
    if (providers.length === 0) return noRouteError(table, subject, subject);
    const named = providers.map((name) => ({ name }));
    const unusable = template && this.unusableTemplates.findFault(named, template);
    return unusable && unusableChannel(unusable);
  }
}
