import type { SqlRunner } from '@gangan/database';
import { SenderRegistrationReader } from '../senders/sender-registrations.js';
import { readRoutes } from '../stored-providers.js';
import { UnusableTemplates } from '../whatsapp/templates/unusable-templates.js';
import { type RoutedProvider, type RouteTable, routeTable } from './decide-route.js';
import { portedNumberReader, type PortedNumbers } from './ported-numbers.js';

/** What decides which provider gets a message, as it was last read. */
export class MessageRoutes {
  table: RouteTable = routeTable([], []);
  unusableTemplates = new UnusableTemplates([]);
  private readonly senders: SenderRegistrationReader;
  private readonly readPorted: ReturnType<typeof portedNumberReader>;

  constructor(
    private readonly database: SqlRunner,
    private readonly readProviders: () => Promise<readonly RoutedProvider[]>,
  ) {
    this.senders = new SenderRegistrationReader(database);
    this.readPorted = portedNumberReader(database);
  }

  async refresh(): Promise<void> {
    const routes = await readRoutes(this.database);
    const providers = await this.readProviders();
    this.table = routeTable(routes, providers, await this.senders.read());
    this.unusableTemplates = await UnusableTemplates.read(this.database);
  }

  /** The operators that recipients were ported to. They are read only if a route names an operator. */
  async findPorted(recipients: readonly string[]): Promise<PortedNumbers> {
    return this.table.namesOperators && recipients.length > 0 ? this.readPorted(recipients) : nonePorted;
  }
}

export const nonePorted: PortedNumbers = new Map();
