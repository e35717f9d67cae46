import {
  AppError,
  type BatchScope,
  fail,
  type LogInterval,
  type Reply,
  type RequestContext,
  runInContext,
  succeed,
} from '@gangan/protocol';
import type { MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { QueueLogger, QueueObserver } from '../observer.js';
import type { Parcel } from '../wire/codec.js';
import type { WireRequest } from '../wire/envelope.js';

/** Runs one request or event through its Nest handler. */
export class MemberRunner {
  constructor(
    private readonly handlerOf: (name: string) => MessageHandler | null,
    private readonly logger: QueueLogger,
    private readonly observer: QueueObserver,
    private readonly repeated: LogInterval,
  ) {}

  /** Drops a request whose deadline has passed. @returns whether it did */
  dropIfLate(request: WireRequest): boolean {
    if (request.deadline === undefined || Date.now() < request.deadline) return false;
    this.observer.handled(request.name, 'dropped', 0);
    return true;
  }

  /** Never rejects: an error becomes the reply. @returns the reply as JSON */
  async reply(name: string, parcel: Parcel, scope?: BatchScope): Promise<string> {
    const reply = await this.run(name, parcel, scope).then(succeed, fail);
    scope?.memberFinished();
    return this.serialize(name, reply);
  }

  /** @throws the error of the handler, after it was logged */
  run(name: string, { data, context }: Parcel, scope?: BatchScope): Promise<unknown> {
    return runInContext(context, () => this.handle(name, data, context), scope);
  }

  serialize(name: string, reply: Reply): string {
    try {
      return JSON.stringify(reply);
    } catch (error) {
      this.logger.error({ contract: name, err: error }, 'a reply cannot be serialized');
      return JSON.stringify(fail(error));
    }
  }

  /** An AppError below 500 is a reply; any other error is logged. */
  report(name: string, error: unknown): Error {
    if (error instanceof AppError && error.concernsOperator) {
      const requests = this.repeated.take(name);
      const details = { contract: name, requests, reason: error.message };
      if (requests !== undefined) this.logger.error(details, 'requests were rejected until an operator acts');
    } else if (!(error instanceof AppError && error.status < 500)) {
      this.logger.error({ contract: name, err: error }, 'handler failed');
    }
    return error instanceof Error ? error : new Error(String(error));
  }

  handled(name: string, context: RequestContext, outcome: 'ok' | 'error', seconds: number): void {
    this.observer.handled(name, outcome, seconds);
    const { requestId, organisationId } = context;
    const ms = Math.round(seconds * 10_000) / 10;
    this.logger.debug?.({ requestId, organisationId, contract: name, outcome, ms }, 'handled');
  }

  private async handle(name: string, data: object, context: RequestContext): Promise<unknown> {
    const started = performance.now();
    let outcome: 'ok' | 'error' = 'error';
    try {
      const handler = this.handlerOf(name);
      if (!handler) throw noHandler(name);
      const value = await resultOf(handler(data, context));
      outcome = 'ok';
      return value;
    } catch (error) {
      throw this.report(name, error);
    } finally {
      this.handled(name, context, outcome, (performance.now() - started) / 1_000);
    }
  }
}

/** The value of a handler. Nest turns an error into an observable that fails. */
export async function resultOf(call: Promise<unknown>): Promise<unknown> {
  const result = await call;
  return isObservable(result) ? lastValueFrom(result, { defaultValue: undefined }) : result;
}

const noHandler = (name: string): AppError =>
  new AppError('no_handler', 503, 'The service cannot handle this request at the moment. Retry shortly.', {
    retryAfter: 5,
    cause: new Error(`no handler for ${name}`),
  });
