import type { MessageCategory } from '@gangan/contracts';
import { type Channel, Database, type OrganisationMode } from '@gangan/database';
import {
  decideRoute,
  findFault,
  hasRoute,
  MessageRoutes,
  nonePorted,
  noRouteError,
  type PortedNumbers,
  ProviderRegistry,
  readAtStart,
  type RouteCategory,
  type UnusableTemplate,
} from '@gangan/providers';
import type { AppError } from '@gangan/protocol';
import { Periodic, RuntimeConfig } from '@gangan/runtime';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { MessageProvider, PollSource } from './message-provider.js';
import { Simulator } from './simulator.js';

/** Changes apply within 5 s. */
const refreshMs = 3_000;
/** Each provider is asked for our credit once a minute, by one of all workers. */
const creditMs = 5_000;

/** An organisation, the channel on which it sends, and the sender that recipients see. */
export interface MessageSender {
  readonly organisationId: string;
  readonly mode: OrganisationMode;
  readonly channel: Channel;
  readonly sender: string;
}

interface CategorisedSender extends MessageSender {
  readonly category: MessageCategory;
}

/** A delivery that may not be inserted yet. */
interface Recipient {
  readonly id: string;
  readonly recipient: string;
}

/** A message, and the template that the provider renders. */
export interface TemplateSender extends CategorisedSender {
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

/**
 * The providers of this worker. Live organisations use those of their routes. Test organisations always use the simulator,
 * live ones only with SIMULATE_LIVE.
 */
@Injectable()
export class Providers implements OnModuleInit {
  private readonly routes: MessageRoutes;
  private readonly simulated: DeliveryRoute;

  constructor(
    private readonly simulator: Simulator,
    private readonly runtime: RuntimeConfig,
    database: Database,
    private readonly registry: ProviderRegistry<MessageProvider>,
  ) {
    this.simulated = { id: null, round: [simulator] };
    this.routes = new MessageRoutes(database, async () => {
      await registry.refresh();
      return registry.all.flatMap(({ name }) => registry.rowOf(name) ?? []);
    });
  }

  onModuleInit(): Promise<void> {
    return readAtStart(() => this.refresh());
  }

  @Periodic('reading providers and routes', refreshMs)
  async refresh(): Promise<boolean> {
    await this.routes.refresh();
    return false;
  }

  @Periodic('asking providers for our credit', creditMs)
  async askCredits(): Promise<boolean> {
    await this.registry.askCredits();
    return false;
  }

  /** Whether a provider may count more pages than we do. */
  get countsPages(): boolean {
    return this.registry.all.some(({ countPages }) => countPages !== undefined);
  }

  /** The providers that are asked for the state of messages, by name, including disabled ones. */
  pollSources(): ReadonlyMap<string, PollSource> {
    return new Map(this.registry.all.flatMap(({ name, poll }) => (poll ? [[name, poll] as const] : [])));
  }

  /** Whether a route names an operator. Otherwise the registry of ported numbers is not read. */
  get namesOperators(): boolean {
    return this.routes.table.namesOperators;
  }

  /** The operators that recipients of new messages were ported to; not read for those that are simulated. */
  async findPorted(messages: readonly NewMessage[]): Promise<PortedNumbers> {
    if (!this.namesOperators) return nonePorted;
    return this.routes.findPorted(
      messages.flatMap(({ mode, deliveries }) =>
        this.isSimulated(mode) ? [] : deliveries.map(({ recipient }) => recipient),
      ),
    );
  }

  routeFor({ mode, trafficClass, ...delivery }: RoutedDelivery): DeliveryRoute {
    if (this.isSimulated(mode)) return this.simulated;
    const category: RouteCategory = trafficClass === 'otp' ? 'otp' : (delivery.category ?? 'transactional');
    const { route, providers } = decideRoute(this.routes.table, { ...delivery, category });
    return { id: route?.id ?? null, round: providers.flatMap((name) => this.registry.find(name) ?? []) };
  }

  /**
   * 503 if a recipient has no provider, 400 if it could have one with another sender.
   * @param recipients absent if they are not known yet; then an error only if none can have a provider
   */
  findRouteError(
    sender: CategorisedSender,
    recipients: readonly Recipient[] | undefined,
    ported: PortedNumbers = nonePorted,
  ): AppError | undefined {
    if (this.isSimulated(sender.mode)) return undefined;
    const { table } = this.routes;
    if (!recipients) return hasRoute(table, sender) ? undefined : noRouteError(table, sender);
    for (const to of recipients)
      if (this.roundFor(sender, to, ported).length === 0)
        return noRouteError(table, sender, {
          recipient: to.recipient,
          portedTo: ported.get(to.recipient) ?? null,
        });
    return undefined;
  }

  /** Whether deliveries with this sender can go to one provider only, and it takes the sender. The simulator takes all. */
  sendsAll(
    provider: string,
    sender: CategorisedSender,
    recipients: readonly Recipient[],
    ported: PortedNumbers = nonePorted,
  ): boolean {
    if (this.isSimulated(sender.mode)) return true;
    return recipients.every((to) => {
      const round = this.roundFor(sender, to, ported);
      return round.length > 0 && round.every(({ name }) => name === provider);
    });
  }

  /**
   * Why a template cannot be sent to a recipient: none of its providers has it in a usable state.
   * @param recipients absent if they are not known yet; then a fault only if no provider can send it to anyone
   */
  findTemplateFault(
    sender: TemplateSender,
    recipients: readonly Recipient[] | undefined,
    ported: PortedNumbers = nonePorted,
  ): UnusableTemplate | undefined {
    const { templateProviderName: name, templateLanguage: language } = sender;
    if (name === null || this.isSimulated(sender.mode)) return undefined;
    const faultOf = (round: readonly MessageProvider[]): UnusableTemplate | undefined =>
      this.routes.unusableTemplates.findFault(round, { name, language: language ?? '' });
    if (!recipients)
      return faultOf(this.registry.all.filter((provider) => this.findUsable(provider.name, sender)));
    for (const to of recipients) {
      const fault = faultOf(this.roundFor(sender, to, ported));
      if (fault) return fault;
    }
    return undefined;
  }

  /** The provider of an earlier attempt, if the delivery may still go to it. Routes may have changed since. */
  findUsable(name: string, sender: MessageSender): MessageProvider | undefined {
    if (name === this.simulator.name) return this.simulator;
    return findFault(this.routes.table, name, sender) ? undefined : this.registry.find(name);
  }

  /** The sender in the form that is registered at the provider; undefined if the provider must not get it. */
  originatorFor(name: string, sender: string, organisationId: string): string | undefined {
    if (name === this.simulator.name) return sender;
    const { providers, registrations } = this.routes.table;
    const provider = providers.get(name);
    return provider && registrations.originatorOf(provider, sender, organisationId);
  }

  /** The providers that a message to this recipient may go to, in the order in which they are tried. */
  private roundFor(
    { organisationId, mode, channel, sender, category }: CategorisedSender,
    { id, recipient }: Recipient,
    ported: PortedNumbers,
  ): readonly MessageProvider[] {
    const portedTo = ported.get(recipient) ?? null;
    const from = { organisationId, mode, channel, sender, category, trafficClass: 'sms' } as const;
    return this.routeFor({ id, recipient, portedTo, ...from }).round;
  }

  private isSimulated(mode: OrganisationMode): boolean {
    return mode === 'test' || this.runtime.SIMULATE_LIVE;
  }
}
