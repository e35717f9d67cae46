import { readFileSync } from 'node:fs';
import { Database } from '@gangan/database';
import { type AppName, type Contract, inheritedBy, newContext, runInContext } from '@gangan/protocol';
import {
  AppKeys,
  laneOf,
  type QueueAdmin,
  type QueueConnection,
  type QueueKeys,
  Queues,
} from '@gangan/queue';
import { DataSealer, type KeySource, NamedKeys } from '@gangan/sealing';
import { type ReachableSystem, until } from '@gangan/testing';
import type { Subscription } from 'rxjs';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The environment of a running process, as Linux shows it. */
export function environmentOfProcess(pid: number): NodeJS.ProcessEnv {
  const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    variables.map((variable) => {
      const [name = ''] = variable.split('=', 1);
      return [name, variable.slice(name.length + 1)];
    }),
  );
}

/** What an attacker has who controls an app: its environment, and with it its database login, its keys and the broker. */
export class CompromisedApp {
  readonly environment: NodeJS.ProcessEnv;
  readonly keys: AppKeys;
  /** Opens stored values with any key that it has. */
  readonly sealer: DataSealer;
  readonly database: Database;
  private readonly connection: QueueConnection;

  constructor(
    system: ReachableSystem,
    readonly name: AppName,
  ) {
    const { [name]: own, workers } = system.apps();
    this.environment = inheritedBy(name, environmentOfProcess(own ?? workers ?? 0));
    const { QUEUE_KEYS = '', DATABASE_URL: url = '' } = this.environment;
    const keys = AppKeys.parse(QUEUE_KEYS);
    if (!keys) throw new Error(`${name} has no readable QUEUE_KEYS`);
    this.keys = keys;
    this.sealer = new DataSealer(anyKeyOf(this.environment));
    this.connection = { kind: 'postgres', url, poolSize: 2 };
    this.database = new Database({ url, poolSize: 1 });
  }

  close(): Promise<void> {
    return this.database.close();
  }

  /** The error is caught in the database, whose log must show no other app without a privilege. @throws if it is accepted */
  async expectRefused(statement: string): Promise<void> {
    await this.database.$executeRawUnsafe(
      `DO $$ BEGIN
         EXECUTE ${literal(statement)};
         RAISE 'accepted: %', ${literal(statement)};
       EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
    );
  }

  /** Opens the queue as `sender`, with the keys of this app: if it lacks one, it uses another of its keys. */
  async openAs(sender: string): Promise<Queues> {
    const [anyName = ''] = this.keys.names;
    const [otherSender = '', otherLane = ''] = anyName.split('/');
    const borrowed: QueueKeys = {
      of: (wanted, lane) => {
        const found = this.keys.of(wanted, lane);
        return found.length > 0 ? found : this.keys.of(otherSender, otherLane);
      },
    };
    const settings = { connection: this.connection, app: sender, keys: borrowed };
    const queues = await Queues.open(settings, 'producer', silent);
    await queues.client.listen();
    await until('replies can arrive', () => queues.client.listening);
    return queues;
  }

  /**
   * Sends jobs of contracts that other apps may send: as one of them, and as itself if it has a key of the lane.
   * @returns how many it sent, and how many of them the workers have parked
   */
  async forge(contracts: readonly Contract[], organisationId: string, admin: QueueAdmin) {
    const attempts = contracts.flatMap((contract) => {
      const hasKey = this.keys.of(this.name, laneOf(contract).name).length > 0;
      const senders = [contract.senders[0] ?? '', ...(hasKey ? [this.name] : [])];
      return senders.map((sender) => ({ ...contract, senders: [sender] }));
    });
    let parked = 0;
    for (const sender of new Set(attempts.flatMap(({ senders }) => senders))) {
      const queues = await this.openAs(sender);
      for (const contract of attempts.filter(({ senders }) => senders.includes(sender)))
        if (await this.isParked(send(queues, contract, organisationId), contract, organisationId, admin))
          parked += 1;
      await queues.client.close();
      await queues.close();
    }
    return { sent: attempts.length, parked };
  }

  /** Waits until the job is parked, and drops it. */
  private async isParked(
    sending: Subscription,
    contract: Contract,
    organisationId: string,
    admin: QueueAdmin,
  ): Promise<boolean> {
    const lane = laneOf(contract).name;
    const job = await until(`${lane} parks the job of ${this.name}`, async () =>
      (await admin.parked(lane, 0, 100)).find(({ requests }) =>
        requests.some(({ organisation }) => organisation === organisationId),
      ),
    );
    sending.unsubscribe();
    return admin.drop(lane, job.id);
  }
}

/** Its own key of a name, and all other keys that it has. */
function anyKeyOf({ DATA_KEYS = '', QUEUE_KEYS = '' }: NodeJS.ProcessEnv): KeySource {
  const all = [DATA_KEYS, QUEUE_KEYS].flatMap((text) => {
    const keys = NamedKeys.parse(text);
    return keys?.names.flatMap((name) => keys.of(name)) ?? [];
  });
  const own = NamedKeys.parse(DATA_KEYS);
  return { of: (name) => [...(own?.of(name) ?? []), ...all] };
}

/** Data that a worker would accept as a record: none of these jobs may get so far that it is read. */
const data = { id: '01a1dd98-ffc6-7f4b-beeb-767704693149', ids: [] };

function send({ client }: Queues, contract: Contract, organisationId: string): Subscription {
  const ignored = { error: () => undefined };
  if (contract.kind === 'request')
    return client.send(contract, data, newContext({ organisationId })).subscribe(ignored);
  return runInContext(newContext({ organisationId }), () => client.emit(contract, data)).subscribe(ignored);
}
