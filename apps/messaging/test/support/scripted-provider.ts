import type { Channel } from '@gangan/database';
import type { Answer, Inquiry, MessageProvider, Submission } from '../../src/providers/message-provider.js';

type Script<T> = T | Error | Promise<T>;

/** A provider that does as a test tells it, and remembers whom it was told to send to. */
export class ScriptedProvider implements MessageProvider {
  readonly channels: readonly Channel[] = ['sms', 'whatsapp'];
  readonly told: Submission[] = [];
  readonly asked: string[] = [];
  /** Left out by those who cannot be asked. */
  ask?: (references: readonly string[]) => Promise<readonly Inquiry[]>;
  onSubmit: (submission: Submission) => Script<Answer> = ({ reference }) => accepted(`of-${reference}`);

  constructor(
    readonly name = 'scripted',
    onAsk?: (reference: string) => Inquiry,
  ) {
    if (!onAsk) return;
    this.ask = (references) => {
      this.asked.push(...references);
      return Promise.resolve(references.map(onAsk));
    };
  }

  submit(submissions: readonly Submission[]): Promise<readonly Answer[]> {
    this.told.push(...submissions);
    return Promise.all(
      submissions.map((submission) => {
        const script = this.onSubmit(submission);
        return script instanceof Error ? Promise.reject(script) : Promise.resolve(script);
      }),
    );
  }
}

export const accepted = (providerReference: string): Answer => ({ kind: 'accepted', providerReference });

/** An answer that a test gives when it likes. */
export class Pending<T> {
  give: (answer: T) => void = () => undefined;
  readonly answer = new Promise<T>((resolve) => (this.give = resolve));
}
