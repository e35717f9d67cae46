import { Prisma, PrismaClient } from './generated/client.js';

type Options = Prisma.PrismaClientOptions;

const methods = {
  $connect: true,
  $disconnect: true,
  $executeRaw: true,
  $executeRawUnsafe: true,
  $extends: true,
  $on: true,
  $queryRaw: true,
  $queryRawUnsafe: true,
  $transaction: true,
} satisfies Record<Extract<keyof PrismaClient, `$${string}`>, true>;

const models = Object.values(Prisma.ModelName).map((name) => name.charAt(0).toLowerCase() + name.slice(1));

/** A PrismaClient that is created when one of its members is first used: it costs a process more than 30 MB. */
class LazyClient {
  static {
    for (const member of [...models, ...Object.keys(methods)]) {
      Object.defineProperty(this.prototype, member, {
        get(this: LazyClient) {
          const value: unknown = Reflect.get(this.client(), member);
          return typeof value === 'function' ? (value.bind(this.client()) as unknown) : value;
        },
      });
    }
  }

  protected created: PrismaClient | undefined;

  constructor(private readonly options: Options) {}

  private client(): PrismaClient {
    return (this.created ??= new PrismaClient(this.options));
  }
}

export const LazyPrismaClient = LazyClient as unknown as new (options: Options) => PrismaClient & {
  /** The client, if it has been used. */
  readonly created: PrismaClient | undefined;
};
