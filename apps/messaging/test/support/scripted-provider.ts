import type { Channel } from '@gangan/database';
import type {
  SubmitResult,
  AskResult,
  MessageProvider,
  Submission,
} from '../../src/providers/message-provider.js';

type Script<T> = T | Error | Promise<T>;

/** A provider that follows a test's script and records its calls. */
export class ScriptedProvider implements MessageProvider {
  readonly channels: readonly Channel[] = ['sms', 'whatsapp'];
  readonly submitted: Submission[] = [];
  readonly asked: string[] = [];
  /** Left out by those who cannot be asked. */
  ask?: (references: readonly string[]) => Promise<readonly AskResult[]>;
  onSubmit: (submission: Submission) => Script<SubmitResult> = ({ reference }) => accepted(`of-${reference}`);

  constructor(
    readonly name = 'scripted',
    onAsk?: (reference: string) => AskResult,
  ) {
    if (!onAsk) return;
    this.ask = (references) => {
      this.asked.push(...references);
      return Promise.resolve(references.map(onAsk));
    };
  }

  submit(submissions: readonly Submission[]): Promise<readonly SubmitResult[]> {
    this.submitted.push(...submissions);
    return Promise.all(
      submissions.map((submission) => {
        const script = this.onSubmit(submission);
        return script instanceof Error ? Promise.reject(script) : Promise.resolve(script);
      }),
    );
  }
}

export const accepted = (providerReference: string): SubmitResult => ({
  kind: 'accepted',
  providerReference,
});

/** A result that a test provides later. */
export class Pending<T> {
  give: (answer: T) => void = () => undefined;
  readonly answer = new Promise<T>((resolve) => (this.give = resolve));
}
