import type { MessageCategory } from '@gangan/contracts';
import { type Channel, Database, type OrganisationMode, retryTransient } from '@gangan/database';
import {
  type CreditSource,
  decideRoute,
  findFault,
  hasRoute,
  noRouteError,
  portedNumberReader,
  type PortedNumbers,
  readProviders,
  readRoutes,
  type RouteCategory,
  type RouteTable,
  routeTable,
  SenderRegistrationReader,
  type UnusableTemplate,
  UnusableTemplates,
} from '@gangan/providers';
import type { AppError } from '@gangan/protocol';
import { Periodic, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { MessageProvider, PollSource } from './message-provider.js';
import { ProviderFactory } from './provider-factory.js';
import { Simulator } from './simulator.js';

/** Changes apply within 5 s. */
const refreshMs = 3_000;

/** An organisation, the channel on which it sends, and the sender that recipients see. */
export interface MessageSender {
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly channel: Channel;
  readonly sender: string;
}

/** A message, and the template that the provider renders. */
export interface TemplateSender extends MessageSender {
  readonly category: MessageCategory;
  readonly templateProviderName: string | null;
  readonly templateLanguage: string | null;
}

interface NewMessage {
  readonly mode: OrganisationMode;
  readonly deliveries: readonly { readonly recipient: string }[];
}

/** A delivery that needs a provider. */
export interface RoutedDelivery extends MessageSender {
  readonly id: string;
  /** `null` if its message is of an earlier version, or if it is an OTP. */
  readonly category: MessageCategory | null;
  readonly trafficClass: 'sms' | 'otp';
  readonly recipient: string;
  /** The operator that the recipient was ported to; read only if a route names an operator. */
  readonly portedTo: string | null;
}

/** Where a delivery goes. */
export interface DeliveryRoute {
  /** `null` without a route, and for the simulator. */
  readonly id: string | null;
  /** The providers of one round, in the order in which they are tried. */
  readonly round: readonly MessageProvider[];
}

const nonePorted: PortedNumbers = new Map();

/**
 * The providers of this worker. Live organisations use those of their routes. Test organisations always use the simulator,
 * live ones only with SIMULATE_LIVE.
 */
@Injectable()
export class Providers implements OnModuleInit {
  private table: RouteTable = routeTable([], []);
  private readonly simulated: DeliveryRoute;
  private readonly senders: SenderRegistrationReader;
  private readonly readPorted: ReturnType<typeof portedNumberReader>;
  private configured: ReadonlyMap<string, MessageProvider> = new Map();
  private unusableTemplates = new UnusableTemplates([]);

  constructor(
    private readonly simulator: Simulator,
    private readonly runtime: RuntimeConfig,
    private readonly database: Database,
    private readonly factory: ProviderFactory,
  ) {
    this.simulated = { id: null, round: [simulator] };
    this.senders = new SenderRegistrationReader(database);
    this.readPorted = portedNumberReader(database);
  }

  /** The app does not start before it has read its routes. */
  async onModuleInit(): Promise<void> {
    await retryTransient(() => this.refresh(), { maxAttempts: Infinity, delayMs: () => 500 });
  }

  @Periodic('reading providers and routes', refreshMs)
  async refresh(): Promise<boolean> {
    const routes = await readRoutes(this.database);
    const stored = await readProviders(this.database, 'message');
    this.configured = this.factory.update(stored);
    this.table = routeTable(
      routes,
      stored.filter(({ name }) => this.configured.has(name)),
      await this.senders.read(),
    );
    this.unusableTemplates = await UnusableTemplates.read(this.database);
    return false;
  }

  /** The enabled providers that can be asked for our credit, by name. */
  creditSources(): ReadonlyMap<string, CreditSource> {
    const { providers } = this.table;
    return new Map(
      [...this.configured].flatMap(([name, { credit }]) =>
        credit && providers.get(name)?.enabled ? [[name, credit] as const] : [],
      ),
    );
  }

  /** Whether a provider may count more pages than we do. */
  get countsPages(): boolean {
    return [...this.configured.values()].some(({ countPages }) => countPages !== undefined);
  }

  /** The providers that are asked for the state of messages, by name, also disabled ones. */
  pollSources(): ReadonlyMap<string, PollSource> {
    return new Map([...this.configured].flatMap(([name, { poll }]) => (poll ? [[name, poll] as const] : [])));
  }

  /** Whether a route names an operator. Otherwise the registry of ported numbers is not read. */
  get namesOperators(): boolean {
    return this.table.namesOperators;
  }

  /** The operators that recipients of new messages were ported to; not read for those that are simulated. */
  async findPorted(messages: readonly NewMessage[]): Promise<PortedNumbers> {
    if (!this.namesOperators) return nonePorted;
    const recipients = messages.flatMap(({ mode, deliveries }) =>
      this.isSimulated(mode) ? [] : deliveries.map(({ recipient }) => recipient),
    );
    return recipients.length > 0 ? this.readPorted(recipients) : nonePorted;
  }

  routeFor({ mode, trafficClass, ...delivery }: RoutedDelivery): DeliveryRoute {
    if (this.isSimulated(mode)) return this.simulated;
    const category: RouteCategory = trafficClass === 'otp' ? 'otp' : (delivery.category ?? 'transactional');
    const { route, providers } = decideRoute(this.table, { ...delivery, category });
    return { id: route?.id ?? null, round: providers.flatMap((name) => this.configured.get(name) ?? []) };
  }

  /**
   * 503 if a recipient has no provider, 400 if it could have one with another sender.
   * @param recipients absent if they are not known yet; then an error only if none can have a provider
   */
  findRouteError(
    {
      organisationId,
      mode,
      channel,
      sender,
      category,
    }: MessageSender & { readonly category: MessageCategory },
    recipients: readonly { readonly id: string; readonly recipient: string }[] | undefined,
    ported: PortedNumbers = nonePorted,
  ): AppError | undefined {
    if (this.isSimulated(mode)) return undefined;
    const from = { organisationId, channel, sender, category };
    if (!recipients) return hasRoute(this.table, from) ? undefined : noRouteError(this.table, from);
    for (const { id, recipient } of recipients) {
      const portedTo = ported.get(recipient) ?? null;
      const delivery = { id, recipient, portedTo, trafficClass: 'sms', mode, ...from } as const;
      if (this.routeFor(delivery).round.length === 0)
        return noRouteError(this.table, from, { recipient, portedTo });
    }
    return undefined;
  }

  /** Whether deliveries with this sender can go to one provider only, and it takes the sender. The simulator takes all. */
  sendsAll(
    provider: string,
    {
      organisationId,
      mode,
      channel,
      sender,
      category,
    }: MessageSender & { readonly category: MessageCategory },
    recipients: readonly { readonly id: string; readonly recipient: string }[],
    ported: PortedNumbers = nonePorted,
  ): boolean {
    if (this.isSimulated(mode)) return true;
    return recipients.every(({ id, recipient }) => {
      const portedTo = ported.get(recipient) ?? null;
      const from = { organisationId, mode, channel, sender, category };
      const { round } = this.routeFor({ id, recipient, portedTo, trafficClass: 'sms', ...from });
      return round.length > 0 && round.every(({ name }) => name === provider);
    });
  }

  /**
   * Why a template cannot be sent to a recipient: none of its providers has it in a usable state.
   * @param recipients absent if they are not known yet; then a fault only if no provider can send it to anyone
   */
  findTemplateFault(
    { mode, templateProviderName: name, templateLanguage: language, ...from }: TemplateSender,
    recipients: readonly { readonly id: string; readonly recipient: string }[] | undefined,
    ported: PortedNumbers = nonePorted,
  ): UnusableTemplate | undefined {
    if (name === null || this.isSimulated(mode)) return undefined;
    const faultOf = (round: readonly MessageProvider[]): UnusableTemplate | undefined =>
      this.unusableTemplates.findFault(round, { name, language: language ?? '' });
    if (!recipients)
      return faultOf(
        [...this.configured.values()].filter(({ name: provider }) =>
          this.findUsable(provider, { mode, ...from }),
        ),
      );
    for (const { id, recipient } of recipients) {
      const portedTo = ported.get(recipient) ?? null;
      const { round } = this.routeFor({ id, recipient, portedTo, trafficClass: 'sms', mode, ...from });
      const fault = faultOf(round);
      if (fault) return fault;
    }
    return undefined;
  }

  /** The provider of an earlier attempt, if the delivery may still go to it. Routes may have changed since. */
  findUsable(name: string, sender: MessageSender): MessageProvider | undefined {
    if (name === this.simulator.name) return this.simulator;
    return findFault(this.table, name, sender) ? undefined : this.configured.get(name);
  }

  /** The sender in the form that is registered at the provider; undefined if the provider must not get it. */
  originatorFor(name: string, sender: string, organisationId: string): string | undefined {
    if (name === this.simulator.name) return sender;
    const { providers, registrations } = this.table;
    const provider = providers.get(name);
    return provider && registrations.originatorOf(provider, sender, organisationId);
  }

  private isSimulated(mode: OrganisationMode): boolean {
    return mode === 'test' || this.runtime.SIMULATE_LIVE;
  }
}
