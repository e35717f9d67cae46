import type { MessageCategory } from '@gangan/contracts';
import { type Channel, Database, type OrganisationMode, retryTransient } from '@gangan/database';
import {
  decideRoute,
  findFault,
  hasRoute,
  noRouteError,
  readProviders,
  readRoutes,
  type RouteCategory,
  type RouteTable,
  routeTable,
  SenderRegistrationReader,
} from '@gangan/providers';
import type { AppError } from '@gangan/protocol';
import { Periodic, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { MessageProvider } from './message-provider.js';
import { ProviderFactory } from './provider-factory.js';
import { Simulator } from './simulator.js';

/** Changes apply within 5 s. */
const refreshMs = 2_000;

/** An organisation, the channel on which it sends, and the sender that recipients see. */
export interface MessageSender {
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly channel: Channel;
  readonly sender: string;
}

/** A delivery that needs a provider. */
export interface RoutedDelivery extends MessageSender {
  readonly id: string;
  /** `null` if its message is of an earlier version, or if it is an OTP. */
  readonly category: MessageCategory | null;
  readonly trafficClass: 'sms' | 'otp';
  readonly recipient: string;
}

/**
 * The providers of this worker. Live organisations use those of their routes. Test organisations always use the simulator,
 * live ones only with SIMULATE_LIVE.
 */
@Injectable()
export class Providers implements OnModuleInit {
  private table: RouteTable = routeTable([], []);
  private readonly senders: SenderRegistrationReader;
  private configured: ReadonlyMap<string, MessageProvider> = new Map();

  constructor(
    private readonly simulator: Simulator,
    private readonly runtime: RuntimeConfig,
    private readonly database: Database,
    private readonly factory: ProviderFactory,
  ) {
    this.senders = new SenderRegistrationReader(database);
  }

  /** The app starts only with its routes, however long the database is away. */
  async onModuleInit(): Promise<void> {
    await retryTransient(() => this.refresh(), { maxAttempts: Infinity, delayMs: () => 500 });
  }

  @Periodic('reading providers and routes', refreshMs)
  async refresh(): Promise<boolean> {
    const routes = await readRoutes(this.database);
    const stored = await readProviders(this.database);
    this.configured = this.factory.update(stored);
    this.table = routeTable(
      routes,
      stored.filter(({ name }) => this.configured.has(name)),
      await this.senders.read(),
    );
    return false;
  }

  /** The providers of one round, in the order in which they are tried. */
  roundFor({ mode, trafficClass, ...delivery }: RoutedDelivery): readonly MessageProvider[] {
    if (this.isSimulated(mode)) return [this.simulator];
    const category: RouteCategory = trafficClass === 'otp' ? 'otp' : (delivery.category ?? 'transactional');
    const subject = { ...delivery, category };
    return decideRoute(this.table, subject).providers.flatMap((name) => this.configured.get(name) ?? []);
  }

  /**
   * 503 if a recipient has no provider, 400 if it could have one with another sender.
   * @param recipients absent if they are not known yet; then an error only if none can have a provider
   */
  findRouteError(
    sender: MessageSender & { readonly category: MessageCategory },
    recipients: readonly { readonly id: string; readonly recipient: string }[] | undefined,
  ): AppError | undefined {
    if (this.isSimulated(sender.mode)) return undefined;
    if (!recipients) return hasRoute(this.table, sender) ? undefined : noRouteError(this.table, sender);
    const unserved = recipients.find(
      ({ id, recipient }) => this.roundFor({ ...sender, id, recipient, trafficClass: 'sms' }).length === 0,
    );
    return unserved && noRouteError(this.table, sender, unserved.recipient);
  }

  /** The provider of an earlier attempt, if the delivery may still go to it. Routes may have changed since. */
  findUsable(name: string, sender: MessageSender): MessageProvider | undefined {
    if (name === this.simulator.name) return this.simulator;
    return findFault(this.table, name, sender) ? undefined : this.configured.get(name);
  }

  /** What the provider gets as the sender: the form that is registered there. Undefined if it must not get it any more. */
  originatorFor(name: string, sender: string, organisationId: string): string | undefined {
    if (name === this.simulator.name) return sender;
    const { providers, registrations } = this.table;
    const provider = providers.get(name);
    if (!provider || registrations.refusalOf(provider, sender, organisationId) !== undefined)
      return undefined;
    return registrations.find(name, sender, organisationId)?.originator ?? sender;
  }

  private isSimulated(mode: OrganisationMode): boolean {
    return mode === 'test' || this.runtime.SIMULATE_LIVE;
  }
}
