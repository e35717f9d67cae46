import type { Channel, DeliveryText } from '@gangan/contracts';
import { Database, type OrganisationMode } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import {
  decideRoute,
  MessageRoutes,
  noRouteError,
  readAtStart,
  readRoutableProviders,
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
  /** Set only on WhatsApp. */
  readonly template?: DeliveryText['template'] | undefined;
}

/** Whether messaging, which delivers OTPs, has a provider for one. */
@Injectable()
export class OtpRoutes implements OnModuleInit {
  private readonly routes: MessageRoutes;

  constructor(
    database: Database,
    private readonly runtime: RuntimeConfig,
  ) {
    this.routes = new MessageRoutes(database, () => readRoutableProviders(database));
  }

  onModuleInit(): Promise<void> {
    return readAtStart(() => this.routes.refresh());
  }

  @Periodic('reading routes', refreshMs)
  async refresh(): Promise<boolean> {
    await this.routes.refresh();
    return false;
  }

  /** 503 if the OTP has no provider, 400 if no provider may get the sender, or send the template. */
  async findError({ mode, template, ...otp }: RoutedOtp): Promise<AppError | undefined> {
    if (mode === 'test' || this.runtime.SIMULATE_LIVE) return undefined;
    const { table, unusableTemplates } = this.routes;
    const ported = await this.routes.findPorted([otp.recipient]);
    const subject = { category: 'otp', portedTo: ported.get(otp.recipient) ?? null, ...otp } as const;
    const { providers } = decideRoute(table, subject);
    if (providers.length === 0) return noRouteError(table, subject, subject);
    const named = providers.map((name) => ({ name }));
    const unusable = template && unusableTemplates.findFault(named, template);
    return unusable && unusableChannel(unusable);
  }
}
