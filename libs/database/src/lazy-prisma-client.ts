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

/** A PrismaClient that costs a process nothing (otherwise some 35 MB) until one of its members is first used. */
class Deferred {
  static {
    for (const member of [...models, ...Object.keys(methods)]) {
      Object.defineProperty(this.prototype, member, {
        get(this: Deferred) {
          const value: unknown = Reflect.get(this.client(), member);
          return typeof value === 'function' ? (value.bind(this.client()) as unknown) : value;
        },
      });
    }
  }

  protected made: PrismaClient | undefined;

  constructor(private readonly options: Options) {}

  private client(): PrismaClient {
    return (this.made ??= new PrismaClient(this.options));
  }
}

export const LazyPrismaClient = Deferred as unknown as new (options: Options) => PrismaClient & {
  /** The client, if anybody has used it. */
  readonly made: PrismaClient | undefined;
};
