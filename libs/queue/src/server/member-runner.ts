import { AppError, type BatchScope, fail, type Reply, runInContext, succeed } from '@gangan/protocol';
import type { MessageHandler } from '@nestjs/microservices';
import { from, isObservable, lastValueFrom, of } from 'rxjs';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { Codec } from '../wire/codec.js';
import type { WireRequest } from '../wire/envelope.js';
import { QueueContext } from './queue-context.js';

/** Runs one request or event through its Nest handler. */
export class MemberRunner {
  constructor(
    private readonly handlerOf: (name: string) => MessageHandler | null,
    private readonly codec: Codec,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
  ) {}

  /** Whether the caller is gone, so that starting would be work for nobody. */
  dropIfLate(request: WireRequest): boolean {
    if (request.deadline === undefined || Date.now() < request.deadline) return false;
    this.observer.handled(request.name, 'dropped', 0);
    return true;
  }

  /** Never rejects: whatever happens becomes the reply. */
  async answer(request: WireRequest, scope?: BatchScope): Promise<Reply> {
    try {
      return succeed(await this.run(request, scope));
    } catch (error) {
      return fail(error);
    } finally {
      scope?.leave();
    }
  }

  /** @throws what the handler throws */
  async run(request: WireRequest, scope?: BatchScope): Promise<unknown> {
    const started = performance.now();
    let outcome: 'ok' | 'error' = 'error';
    try {
      const handler = this.handlerOf(request.name);
      if (!handler) throw noHandler(request.name);
      const { data, context } = this.codec.openRequest(request);
      const result = await runInContext(
        context,
        async () => {
          try {
            return await settle(await handler(data, new QueueContext(context)));
          } catch (error) {
            this.report(request.name, error);
            throw error;
          }
        },
        scope,
      );
      outcome = 'ok';
      return result;
    } finally {
      this.observer.handled(request.name, outcome, (performance.now() - started) / 1_000);
    }
  }

  /** An AppError is an answer; anything else is a fault of ours that somebody must see. */
  private report(name: string, error: unknown): void {
    if (error instanceof AppError && error.status < 500) return;
    this.logger.error({ contract: name, err: error }, 'handler failed');
  }
}

const noHandler = (name: string): AppError =>
  new AppError('no_handler', 503, 'The service cannot do this at the moment', {
    retryAfter: 5,
    cause: new Error(`no handler for ${name}`),
  });

const settle = (result: unknown): Promise<unknown> =>
  lastValueFrom(isObservable(result) ? result : result instanceof Promise ? from(result) : of(result), {
    defaultValue: undefined,
  });
