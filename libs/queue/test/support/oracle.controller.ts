import { setTimeout as pause } from 'node:timers/promises';
import { AppError, currentBatch, currentContext, type RequestContext } from '@gangan/protocol';
import {
  type ArgumentMetadata,
  type CanActivate,
  Controller,
  type ExecutionContext,
  type PipeTransform,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import { from, type Observable } from 'rxjs';
import { type BatchMember, Handles, HandlesBatch, QueueClient, type TakenMembers } from '../../src/index.js';
import * as contracts from './contracts.js';

type Ask = contracts.Ask;
type Answer = contracts.Answer;

/** What the handlers received. */
export class Notebook {
  readonly started: string[] = [];
  readonly contexts: RequestContext[] = [];
  readonly batches: number[] = [];
  /** How many members a batch handler took of each batch. */
  readonly taken: number[] = [];
  readonly events = new Map<string, number>();
}

/** Guards and pipes are Nest's own: a worker is an ordinary Nest application. */
class MembersOnly implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.switchToRpc().getContext<RequestContext>().organisationId) return true;
    throw new AppError('members_only', 403, 'Members only');
  }
}

class Trim implements PipeTransform<Ask, Ask> {
  transform(ask: Ask, { type }: ArgumentMetadata): Ask {
    return type === 'body' ? { text: ask.text.trim() } : ask;
  }
}

@Controller()
export class OracleController {
  constructor(
    private readonly notebook: Notebook,
    private readonly queue: QueueClient,
  ) {}

  @Handles(contracts.askValue)
  value({ text }: Ask): Answer {
    this.notebook.started.push(text);
    return { text: `${text}!` };
  }

  @Handles(contracts.askPromise)
  async promise({ text, takeMs = 0 }: Ask, context: RequestContext): Promise<Answer> {
    this.notebook.started.push(text);
    this.notebook.batches.push(currentBatch()?.unfinished ?? 0);
    await pause(takeMs);
    if (currentContext()?.requestId !== context.requestId) throw new Error('the context was lost on the way');
    this.notebook.contexts.push(context);
    return { text: `${text}!` };
  }

  @Handles(contracts.askStream)
  stream({ text }: Ask): Observable<Answer> {
    return from([{ text: `${text}!` }]);
  }

  @Handles(contracts.askRefused)
  refused({ text }: Ask): Answer {
    throw new AppError('not_today', 422, `Not today: ${text}`, {
      fields: [{ field: 'text', message: 'too curious', type: 'value_error' }],
      retryAfter: 7,
    });
  }

  @Handles(contracts.askBroken)
  broken({ text }: Ask): Answer {
    throw new Error(`the database password is ${text}`);
  }

  @Handles(contracts.askQuickly)
  async quickly(ask: Ask): Promise<Answer> {
    this.notebook.started.push(ask.text);
    await pause(ask.takeMs ?? 0);
    return { text: `${ask.text}!` };
  }

  @Handles(contracts.askBriefly)
  async briefly(ask: Ask): Promise<Answer> {
    return this.quickly(ask);
  }

  @Handles(contracts.askEndless)
  endless({ text }: Ask): Promise<Answer> {
    this.notebook.started.push(text);
    return new Promise(() => undefined);
  }

  @Handles(contracts.askAlone)
  async alone({ text, takeMs = 0 }: Ask): Promise<Answer> {
    this.notebook.started.push(text);
    await pause(takeMs);
    return { text: `${text}!` };
  }

  @Handles(contracts.askLater)
  later(ask: Ask): Promise<Answer> {
    return this.alone(ask);
  }

  @Handles(contracts.askHeavy)
  heavy({ text }: Ask): Answer {
    return { text: `${text}!` };
  }

  @UseGuards(MembersOnly)
  @UsePipes(Trim)
  @Handles(contracts.askGuarded)
  guarded({ text }: Ask): Answer {
    return { text: `${text}!` };
  }

  /** Takes what starts with `plain`. */
  @HandlesBatch(contracts.askTogether)
  together(
    members: readonly BatchMember<typeof contracts.askTogether>[],
  ): TakenMembers<typeof contracts.askTogether> {
    const plain = members.filter(({ data }) => data.text.startsWith('plain'));
    this.notebook.taken.push(plain.length);
    if (plain.some(({ data }) => data.text === 'plain wrong')) throw new Error('wrong');
    const broken = plain.find(({ data }) => data.text === 'plain broken');
    const replies = plain.map(({ data: { text } }) => {
      if (text === 'plain refused') return new AppError('not_today', 422, 'Not today');
      return text === 'plain unsure' ? undefined : { text: `${text}, together` };
    });
    return {
      members: plain,
      replies: broken ? Promise.reject(new Error('broken')) : Promise.resolve(replies),
    };
  }

  @Handles(contracts.askTogether)
  apart({ text }: Ask): Answer {
    this.notebook.started.push(text);
    return { text: `${text}, alone` };
  }

  /** JSON has no BigInt. */
  @Handles(contracts.askUnspeakable)
  unspeakable(): Answer {
    return { text: 10n as unknown as string };
  }

  /** A worker can send requests to another. */
  @Handles(contracts.askOnwards)
  onwards(ask: Ask): Observable<Answer> {
    return this.queue.send(contracts.askValue, ask);
  }

  @Handles(contracts.happened)
  hear({ text }: contracts.Happened): void {
    const times = (this.notebook.events.get(text) ?? 0) + 1;
    this.notebook.events.set(text, times);
    if (text.startsWith('never')) throw new AppError('pointless', 400, `pointless: ${text}`, { final: true });
    if (text.startsWith('always wrong')) throw new Error(`refused: ${text}`);
    if (text.startsWith('third time') && times < 3) throw new Error('not yet');
  }
}
