import { callProvider } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { discreetAnswer, discreetError } from '../providers/discretion.js';
import type { Answer, Inquiry, MessageProvider, Reason, Submission } from '../providers/message-provider.js';
import { cleanAnswer } from '../providers/provider-text.js';
import { Aftermath } from '../outcome/effects.js';
import { allEnded } from '../all-ended.js';
import { ClaimsRepository } from './claims.repository.js';
import { Conclusions } from '../outcome/apply.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { DoNotDisturb } from './do-not-disturb.js';
import { partition } from '../grouped.js';
import type { Candidate, Held, Queue } from './delivery.js';
import { Letters } from './message-bodies.js';
import { Patience } from '../outcome/retry-policy.js';
import { Prospects } from './routing.js';
import { dnd, noAnswer, unreadable, verified } from '../outcome/reasons.js';
import { Reports } from '../reports/reports.service.js';
import { Settling } from '../outcome/settling.js';
import { Verdicts } from '../outcome/transition.js';

const unknown: Answer = { kind: 'unknown' };
const unwanted: Answer = { kind: 'rejected', reason: dnd };
const neverTaken: Answer = { kind: 'failed', reason: noAnswer };

/** What was claimed, and what its provider said. */
type Answered = readonly (readonly [Held, Answer])[];

/**
 * Takes deliveries to a provider. They are marked before the provider is called, so that after a crash it is known who
 * may have been sent to: of those the provider is asked, and they are sent again only if it cannot be or never heard.
 */
@Injectable()
export class Courier {
  constructor(
    private readonly claims: ClaimsRepository,
    private readonly letters: Letters,
    private readonly doNotDisturb: DoNotDisturb,
    private readonly prospects: Prospects,
    private readonly settling: Settling,
    private readonly verdicts: Verdicts,
    private readonly conclusions: Conclusions,
    private readonly aftermath: Aftermath,
    private readonly reports: Reports,
    private readonly patience: Patience,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** @param claimed is called when it is decided who has these. Tells whether some may be tried again at once. */
  async carry(
    provider: MessageProvider,
    queue: Queue,
    candidates: readonly Candidate[],
    claimed: (these: readonly Candidate[]) => void,
  ): Promise<boolean> {
    const unwilling = await this.doNotDisturb.among(queue.organisationId, candidates);
    const [turnedAway, able] = partition(
      candidates,
      ({ id, unsure }) => unwilling.has(id) && !(unsure && provider.ask !== undefined),
    );
    // Who is turned away is paid back: while that waits for the wallet, the others do not.
    const [mayGoOn] = await allEnded([
      this.deliver(provider, queue, able, unwilling, () => {
        claimed(able);
      }),
      this.turnAway(queue, turnedAway),
    ]);
    return mayGoOn;
  }

  /** Those who want none are not even claimed: no carrier is tried. What one may have is at least not sent again. */
  private async turnAway(queue: Queue, candidates: readonly Candidate[]): Promise<void> {
    await this.settling.settle(
      queue,
      candidates.map((candidate) => [
        candidate,
        candidate.unsure
          ? this.prospects.ofDoubt(candidate)
          : { kind: 'end', state: 'rejected', reason: dnd },
      ]),
    );
  }

  private async deliver(
    provider: MessageProvider,
    queue: Queue,
    candidates: readonly Candidate[],
    unwilling: ReadonlySet<string>,
    claimed: () => void,
  ): Promise<boolean> {
    // A mark that has grown old may be overtaken by others: what was not handed over by then is left to them.
    const latest = performance.now() + 2 * this.patience.callMs;
    const held = await this.claim(provider, queue, candidates).finally(claimed);
    const heard = await this.inquire(
      provider,
      held.filter(({ unsure }) => unsure),
    );
    const unheard = held.filter(({ id }) => !heard.has(id));
    const hopeless = new Map(unheard.flatMap((each) => this.hopelessness(each, unwilling)));
    const submitted = await this.submit(
      provider,
      unheard.filter((each) => !hopeless.has(each)),
      latest,
    );
    return this.conclude(provider, [
      ...held.flatMap((each) => pairOf(each, heard.get(each.id))),
      ...hopeless,
      ...submitted,
    ]);
  }

  private async claim(
    { name: provider }: MessageProvider,
    queue: Queue,
    candidates: readonly Candidate[],
  ): Promise<readonly Held[]> {
    if (candidates.length === 0) return [];
    const choices = candidates.map(({ id, attempt }) => ({ id, attempt, provider }));
    return this.claims.claim(queue, choices, this.patience.leaseMs);
  }

  /** What the provider knows of those that it may have been told of before. */
  private async inquire(
    provider: MessageProvider,
    held: readonly Held[],
  ): Promise<ReadonlyMap<string, Answer>> {
    if (!provider.ask || held.length === 0) return new Map();
    const references = held.map(({ id }) => id);
    const inquiries = await this.call<Inquiry>(provider, 'ask', held, (signal) =>
      Promise.resolve(provider.ask?.(references, signal) ?? []),
    );
    return new Map(
      held.flatMap(({ id }, place) => {
        const inquiry = inquiries[place] ?? unknown;
        return inquiry.kind === 'unheard' ? [] : [[id, inquiry] as const];
      }),
    );
  }

  /** Of what its provider was asked for and never heard of: nobody has it, and it is not sent again. */
  private hopelessness(held: Held, unwilling: ReadonlySet<string>): Answered {
    if (!held.unsure) return [];
    if (unwilling.has(held.id)) return [[held, unwanted]];
    return this.prospects.isSpent({ ...held, attempt: held.attempt - 1 }) ? [[held, neverTaken]] : [];
  }

  private async submit(provider: MessageProvider, held: readonly Held[], latest: number): Promise<Answered> {
    if (held.length === 0) return [];
    const letters = await this.letters.of(held);
    const submissions: Submission[] = [];
    const ready: Held[] = [];
    const hopeless: (readonly [Held, Answer])[] = [];
    for (const each of held) {
      const { id: reference, channel, recipient } = each;
      const letter = letters.get(reference) ?? { obstacle: unreadable };
      if ('obstacle' in letter) {
        hopeless.push([each, withoutLetter(each, provider, letter.obstacle)]);
        continue;
      }
      ready.push(each);
      submissions.push({ ...letter, reference, channel, recipient });
    }
    if (ready.length === 0 || performance.now() > latest) return hopeless;
    const answers = await this.call<Answer>(provider, 'submit', ready, (signal) =>
      provider.submit(submissions, signal),
    );
    return [...hopeless, ...ready.map((each, place) => [each, answers[place] ?? unknown] as const)];
  }

  /** What a provider does not answer in time is unknown; what it answers after that is heard all the same. */
  private async call<T extends Answer | Inquiry>(
    provider: MessageProvider,
    kind: 'submit' | 'ask',
    held: readonly Held[],
    call: (signal: AbortSignal) => Promise<readonly T[]>,
  ): Promise<readonly (T | Answer)[]> {
    const startedAt = performance.now();
    const clean = (answer: T, place: number): T | Answer =>
      isOtp(held[place]) ? discreetAnswer(cleanAnswer(answer)) : cleanAnswer(answer);
    const heard = async (signal: AbortSignal) => (await call(signal)).map(clean);
    const answers = await callProvider<readonly (T | Answer)[]>(heard, this.patience.callMs, {
      fallback: [],
      onError: (error) => {
        this.logger.warn(
          {
            err: isOtp(held[0]) ? discreetError(error) : error,
            provider: provider.name,
            call: kind,
            deliveries: held.length,
          },
          'a provider did not answer',
        );
      },
      onLateResult: async (late) => {
        await this.conclude(
          provider,
          held.flatMap((each, place) => pairOf(each, late[place])),
        );
      },
    });
    this.metrics.called(provider.name, kind, (performance.now() - startedAt) / 1_000);
    return answers;
  }

  private async conclude({ name }: MessageProvider, answered: Answered): Promise<boolean> {
    if (answered.length === 0) return false;
    const verdicts = answered.map(([held, answer]) => this.verdicts.of(held, answer));
    await this.aftermath.tell(await this.conclusions.conclude(verdicts));
    await this.reports.match(
      name,
      verdicts.flatMap(({ providerReference }) => providerReference ?? []),
    );
    return verdicts.some(({ inMs }) => inMs === 0);
  }
}

/** What a carrier may have has not failed, though it cannot be sent again; and what was verified, it had. */
function withoutLetter({ unsure }: Held, provider: MessageProvider, reason: Reason): Answer {
  if (unsure && reason === verified) return { kind: 'accepted', providerReference: undefined };
  return { kind: unsure && provider.ask === undefined ? 'unknown' : 'failed', reason };
}

/** Those of one call are of one lane. */
const isOtp = (held: Held | undefined): boolean => held?.messageId === null;

const pairOf = (held: Held, answer: Inquiry | undefined): Answered =>
  answer === undefined || answer.kind === 'unheard' ? [] : [[held, answer]];
