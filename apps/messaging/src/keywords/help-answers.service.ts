import { LeasedJobRunner } from '@gangan/leases';
import { AppError, newContext, runInContext, timeOfId } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagesService } from '../messages/messages.service.js';
import { type ClaimedHelpAnswer, HelpAnswersRepository, isAnswerOpen } from './help-answers.repository.js';

/** A HELP that is older is not answered: its number was assigned late, or its organisation was suspended. */
export const maxHelpAgeMs = 3_600_000;

/** Sends the help text of an organisation to numbers that asked for it, as messages of the organisation. */
@Injectable()
export class HelpAnswersService {
  constructor(
    private readonly repository: HelpAnswersRepository,
    private readonly messages: MessagesService,
    private readonly logger: AppLogger,
  ) {}

  /**
   * The message has the id of the answer, so it is charged and stored once. If the organisation cannot send it, there
   * is no answer. @throws if the outcome is unknown, or the database is unavailable
   */
  async send(claimed: ClaimedHelpAnswer): Promise<void> {
    const { id, organisationId, channel, incomingId, helpText } = claimed;
    if (helpText !== null && Date.now() - timeOfId(id).getTime() <= maxHelpAgeMs) {
      const context = newContext({ organisationId, operationId: id, requestId: id });
      const request = { reply_to: incomingId, content: helpText, category: 'transactional' } as const;
      try {
        await runInContext(context, () => this.messages.send(request, context));
      } catch (error) {
        if (!isFinal(error)) throw error;
        // The message of the error is left out, because it may contain the number.
        const reasons = error.fields.map(({ type }) => type);
        const line = { answer: id, organisationId, channel, code: error.code, reasons };
        this.logger.warn(line, 'HELP was not answered');
      }
    }
    await this.repository.finish(claimed);
  }
}

/** Too little money, no provider or a limit is final; a database that is unavailable is not. */
const isFinal = (error: unknown): error is AppError =>
  error instanceof AppError &&
  error.code !== 'outcome_unknown' &&
  (error.status < 500 || error.cause === undefined);

type ClaimedJob = ClaimedHelpAnswer & { readonly stalls: number };

/** Looks for due answers when a message asks for help, and once a second. */
@Injectable()
export class HelpAnswersRunner extends LeasedJobRunner<ClaimedJob> {
  constructor(service: HelpAnswersService, repository: HelpAnswersRepository, logger: AppLogger) {
    super(
      {
        name: 'answer to HELP',
        concurrency: 4,
        // With the delays, this is about an hour.
        maxStalls: 65,
        maxDelayMs: 60_000,
        isDue: isAnswerOpen,
        describe: ({ id, organisationId }) => ({ answer: id, organisationId }),
        claimNext: async () => {
          const claimed = await repository.claimNext();
          return claimed && { ...claimed, stalls: claimed.attempt };
        },
        runSlice: (claimed) => service.send(claimed),
        release: (claimed, delayMs) => repository.release(claimed, delayMs),
        fail: (claimed) => repository.finish(claimed),
      },
      logger,
    );
  }
}
