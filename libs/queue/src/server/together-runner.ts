import { fail, type RequestContract, runInContext, succeed } from '@gangan/protocol';
import type { MessageHandler } from '@nestjs/microservices';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { TakenMembers } from './handles.decorator.js';
import type { Member } from './job-reader.js';
import { type MemberRunner, resultOf } from './member-runner.js';

export interface Taken {
  readonly members: readonly Member[];
  readonly rest: readonly Member[];
  readonly results: TakenMembers<RequestContract>['replies'];
}

/** Runs members of a batch through the handler of `@HandlesBatch`. If it fails, they run one by one. */
export class TogetherRunner {
  constructor(
    private readonly handlers: ReadonlyMap<string, MessageHandler>,
    private readonly runner: MemberRunner,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  /** Returns what the batch handler takes; undefined if the contract has no such handler, or if it fails. */
  async take(name: string, members: readonly Member[]): Promise<Taken | undefined> {
    const handler = this.handlers.get(name);
    if (!handler) return undefined;
    try {
      const call = handler(members.map(({ parcel }) => parcel));
      const found = (await resultOf(call)) as TakenMembers<RequestContract>;
      const open = new Map<object, Member>(members.map((member) => [member.parcel, member]));
      const taken = found.members.map((parcel) => {
        const member = open.get(parcel);
        if (!open.delete(parcel) || !member)
          throw new Error('A batch handler took a member that it was not given, or one twice');
        return member;
      });
      return { members: taken, rest: [...open.values()], results: found.replies };
    } catch (error) {
      this.report(name, error);
      return undefined;
    }
  }

  /** Never rejects. @returns the replies as JSON; undefined for a member that has to run alone */
  async reply(name: string, { members, results }: Taken): Promise<(string | undefined)[]> {
    const started = performance.now();
    try {
      const found = await results;
      const seconds = (performance.now() - started) / 1_000;
      return members.map(({ parcel: { context } }, index) => {
        const result = found[index];
        if (result === undefined) return undefined;
        const isError = result instanceof Error;
        this.runner.handled(name, context, isError ? 'error' : 'ok', seconds);
        if (isError) runInContext(context, () => this.runner.report(name, result));
        return this.runner.serialize(name, isError ? fail(result) : succeed(result));
      });
    } catch (error) {
      this.report(name, error);
      return members.map(() => undefined);
    }
  }

  private report(name: string, error: unknown): void {
    this.logger.warn({ contract: name, err: error }, 'a batch failed; its requests run one by one');
  }
}
